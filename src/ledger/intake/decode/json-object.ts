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

/** The second digit of an escaped half: `\\ud800` to `\\udbff` are high, `\\udc00` to `\\udfff` low. */
const HIGH = "89abAB";
const LOW = "cdefCDEF";

/** True if valid JSON has an escape that is half of a pair. Unescaped halves cannot be: the bytes were UTF-8. */
function hasLoneSurrogate(json: string): boolean {
  // The end of a high surrogate that still lacks its low one; −1 if there is none.
  let highEndsAt = -1;
  for (let at = json.indexOf("\\"); at !== -1; ) {
    const isUnit = json[at + 1] === "u";
    const end = at + (isUnit ? 6 : 2);
    const isHalf = isUnit && (json[at + 2] === "d" || json[at + 2] === "D");
    const isLow = isHalf && LOW.includes(json[at + 3] ?? "");
    const completes = isLow && at === highEndsAt;
    if (!completes && (isLow || highEndsAt >= 0)) return true;
    highEndsAt = isHalf && HIGH.includes(json[at + 3] ?? "") ? end : -1;
    at = json.indexOf("\\", end);
  }
  return highEndsAt >= 0;
}
