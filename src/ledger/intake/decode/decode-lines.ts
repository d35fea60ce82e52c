/** Chunks of bytes → whole lines → a normalised record or a fault for each line that is not empty (docs/spec/intake.md#lines). */
import { isUtf8 } from "node:buffer";
import type { Hash64 } from "../accept/fact-hash.ts";
import { type Fault, fault } from "../fault.ts";
import type { IntakeRecord } from "../record-types.ts";
import { receiptDecoder } from "./decode-receipt.ts";
import { decodeRecord } from "./decode-record.ts";
import { isObject } from "./fields.ts";

export interface DecodedLine {
  /** From 1 on, empty lines counted. */
  readonly line: number;
  /** Without its end, U+FFFD for bytes that are not UTF-8; as long as it is. */
  readonly raw: string;
  readonly record: IntakeRecord | Fault;
  /** Its hash for the sum of its kind, if it is known already. */
  readonly hash?: Hash64;
}

/** Decoded lines, and how much of the input they are. */
export interface DecodedPiece {
  readonly lines: readonly DecodedLine[];
  readonly bytes: number;
  /** Lines of the input so far, empty ones too. */
  readonly lineCount: number;
}

/** The longest line there is, in bytes without its end. */
export const LINE_MAX = 1024 * 1024;
const LF = 10;
const CR = 13;
const OVERLONG = malformed("the line is longer than 1 MiB");
const NOT_UTF8 = malformed("the line has bytes that are not UTF-8");

/** Decodes the lines of one input, in order; it counts the lines. */
export class LineDecoder {
  readonly #now: () => number;
  readonly #buffer = new LineBuffer();
  readonly #receipt = receiptDecoder();
  #line = 0;

  /** `now` in epoch ms: the clock that instants must not be ahead of. */
  constructor(now: () => number = () => Number.POSITIVE_INFINITY) {
    this.#now = now;
  }

  /** Bytes of whole lines that `take` would decode. */
  get size(): number {
    return this.#buffer.size;
  }

  /** Copies the chunk. */
  write(chunk: Uint8Array): void {
    this.#buffer.write(chunk);
  }

  /** The whole lines so far; at the end also what follows the last of them. */
  take(isEnd = false): DecodedPiece {
    const bytes = this.#buffer.take(isEnd);
    const lines = isUtf8(bytes) ? this.#ofText(bytes.toString("utf8")) : this.#ofBytes(bytes);
    return { lines, bytes: bytes.length, lineCount: this.#line };
  }

  /** The lines are slices of one string: no copy for each line. */
  #ofText(text: string): DecodedLine[] {
    const decoded: DecodedLine[] = [];
    const now = this.#now();
    for (let start = 0; start < text.length; ) {
      const lf = text.indexOf("\n", start);
      const cr = lf > start && text.charCodeAt(lf - 1) === CR;
      const raw = text.slice(start, lf < 0 ? text.length : cr ? lf - 1 : lf);
      this.#line++;
      if (raw.length > 0) decoded.push(this.#decoded(raw, isOverlong(raw) ? OVERLONG : undefined, now));
      start = lf < 0 ? text.length : lf + 1;
    }
    return decoded;
  }

  #ofBytes(bytes: Buffer): DecodedLine[] {
    const decoded: DecodedLine[] = [];
    const now = this.#now();
    for (let start = 0; start < bytes.length; ) {
      const lf = bytes.indexOf(LF, start);
      const cr = lf > start && bytes[lf - 1] === CR;
      const line = bytes.subarray(start, lf < 0 ? bytes.length : cr ? lf - 1 : lf);
      const problem = line.length > LINE_MAX ? OVERLONG : isUtf8(line) ? undefined : NOT_UTF8;
      this.#line++;
      if (line.length > 0) decoded.push(this.#decoded(line.toString("utf8"), problem, now));
      start = lf < 0 ? bytes.length : lf + 1;
    }
    return decoded;
  }

  #decoded(raw: string, problem: Fault | undefined, now: number): DecodedLine {
    return { line: this.#line, raw, record: problem ?? this.#record(raw, now) };
  }

  #record(raw: string, now: number): IntakeRecord | Fault {
    const json = parseObject(raw);
    if (typeof json === "string") return malformed(json);
    return this.#receipt(json, now) ?? decodeRecord(json, now);
  }
}

function isOverlong(line: string): boolean {
  if (line.length * 3 <= LINE_MAX) return false;
  return line.length > LINE_MAX || Buffer.byteLength(line) > LINE_MAX;
}

// Bytes to whole lines.

/** So much of a longer line is kept that it is known to be longer, also with a CR. */
const KEPT_BYTES_LIMIT = LINE_MAX + 2;

class LineBuffer {
  #bytes = Buffer.allocUnsafeSlow(KEPT_BYTES_LIMIT);
  /** `take` has given away everything before this. */
  #start = 0;
  /** Behind the last LF. */
  #whole = 0;
  #end = 0;

  /** Bytes of whole lines that `take` would give. */
  get size(): number {
    return this.#whole - this.#start;
  }

  /** Copies the chunk. Of a line that is too long it keeps only the beginning. */
  write(chunk: Uint8Array): void {
    const lf = chunk.indexOf(LF);
    const rest = lf < 0 ? chunk.length : lf;
    const kept = Math.min(rest, KEPT_BYTES_LIMIT - (this.#end - this.#whole));
    this.#makeRoom(kept + chunk.length - rest);
    this.#append(chunk.subarray(0, kept));
    if (lf < 0) return;
    const lines = chunk.subarray(lf);
    this.#whole = this.#end + lines.lastIndexOf(LF) + 1;
    this.#append(lines);
  }

  /**
   * The whole lines so far, each with its LF; with `last` also what follows the last LF. A view, good until the
   * next write.
   */
  take(last = false): Buffer {
    if (last) this.#whole = this.#end;
    const taken = this.#bytes.subarray(this.#start, this.#whole);
    this.#start = this.#whole;
    return taken;
  }

  #append(bytes: Uint8Array): void {
    this.#bytes.set(bytes, this.#end);
    this.#end += bytes.length;
  }

  #makeRoom(size: number): void {
    if (this.#end + size <= this.#bytes.length) return;
    const held = this.#bytes.subarray(this.#start, this.#end);
    const needed = held.length + size;
    if (needed > this.#bytes.length) this.#bytes = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length));
    this.#bytes.set(held, 0);
    this.#whole -= this.#start;
    this.#end -= this.#start;
    this.#start = 0;
  }
}

// A line to its object.

const BYTE_ORDER_MARK = 0xfeff;

/** The object that a line holds, or why it is malformed; of a key twice in it the last counts. */
function parseObject(line: string): Readonly<Record<string, unknown>> | string {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return line.charCodeAt(0) === BYTE_ORDER_MARK ? "the line begins with a byte order mark" : "the line is not JSON";
  }
  if (!isObject(value)) return "the line is not one JSON object";
  // The text is judged, not the value: a key that a later one hides counts too.
  if (line.includes("\\u") && hasLoneSurrogate(line)) return "the line has half of a surrogate pair";
  return value;
}

function malformed(sentence: string): Fault {
  return fault("malformed_json", null, sentence);
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
