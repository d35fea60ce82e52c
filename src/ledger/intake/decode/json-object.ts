/** One line of text → one JSON object, or `malformed_json` (docs/spec/intake.md#lines). */
import { Fault } from "../fault.ts";
import { isObject } from "./fields.ts";

const BYTE_ORDER_MARK = 0xfeff;

/** The object that a line holds; of a key twice in it the last counts. */
export function parseObject(line: string): Readonly<Record<string, unknown>> | Fault {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return malformed(
      line.charCodeAt(0) === BYTE_ORDER_MARK ? "the line begins with a byte order mark" : "the line is not JSON",
    );
  }
  if (!isObject(value)) return malformed("the line is not one JSON object");
  // The text is judged, not the value: a key that a later one hides counts too.
  if (line.includes("\\u") && hasLoneSurrogate(line)) return malformed("the line has half of a surrogate pair");
  return value;
}

export function malformed(sentence: string): Fault {
  return new Fault("malformed_json", null, sentence);
}

const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|.)/g;

/** Whether valid JSON has an escape that is half of a pair. Unescaped halves cannot be: the bytes were UTF-8. */
function hasLoneSurrogate(json: string): boolean {
  // Where the half that still lacks its other half ends; −1 where none does.
  let highEndsAt = -1;
  for (const match of json.matchAll(ESCAPE)) {
    const unit = match[1] === undefined ? 0 : Number.parseInt(match[1], 16);
    const isLow = unit >= 0xdc00 && unit <= 0xdfff;
    const completes = isLow && match.index === highEndsAt;
    if (!completes && (isLow || highEndsAt >= 0)) return true;
    highEndsAt = unit >= 0xd800 && unit <= 0xdbff ? match.index + match[0].length : -1;
  }
  return highEndsAt >= 0;
}
