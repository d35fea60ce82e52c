/** Splits bytes into lines, and decodes non-empty ones into records or faults (docs/spec/intake.md#lines). */
import { isUtf8 } from "node:buffer";
import { isObject } from "../../../values/unknown.ts";
import { type Fault, fault } from "../fault.ts";
import { type IntakeRecord, withDroppedFields } from "../record-types.ts";
import { decodeRecord } from "./decode-record.ts";

export interface DecodedLine {
  /** Line number from 1; empty lines count. */
  readonly line: number;
  /** The full line without its line end; U+FFFD replaces bytes that are not UTF-8. */
  readonly raw: string;
  readonly record: IntakeRecord | Fault;
}

/** Decoded lines, and the size of the input that they came from. */
export interface DecodedPiece {
  readonly lines: readonly DecodedLine[];
  readonly bytes: number;
  /** Lines of the input so far, empty ones too. */
  readonly lineCount: number;
}

/** The maximum line length in bytes, without the line end. */
const LINE_MAX = 1024 * 1024;
const LF = 10;
const CR = 13;
const OVERLONG = malformed("the line is longer than 1 MiB");
const NOT_UTF8 = malformed("the line has bytes that are not UTF-8");

/** Decodes and numbers the lines of one input. */
export class LineDecoder {
  readonly #now: () => number;
  readonly #genesis: number | undefined;
  readonly #buffer = new LineBuffer();
  #line = 0;

  /** `now` returns epoch ms; later instants are faults. By default no instant is too late. */
  constructor(now: () => number = () => Number.POSITIVE_INFINITY, genesis?: number) {
    this.#now = now;
    this.#genesis = genesis;
  }

  /** Bytes of whole lines that `take` would decode. */
  get size(): number {
    return this.#buffer.size;
  }

  /** Copies the chunk. */
  write(chunk: Uint8Array): void {
    this.#buffer.write(chunk);
  }

  /** Decodes and removes the buffered whole lines; with `isEnd` also a last line without LF. */
  take(isEnd = false): DecodedPiece {
    const bytes = this.#buffer.take(isEnd);
    const lines = isUtf8(bytes) ? this.#ofText(bytes.toString("utf8")) : this.#ofBytes(bytes);
    return { lines, bytes: bytes.length, lineCount: this.#line };
  }

  /** Decodes the text of a log's entry. Fields that its type drops get the values of the example. */
  entry(text: string): IntakeRecord | Fault {
    const json = parseObject(text);
    if (typeof json === "string") return malformed(json);
    return decodeRecord(withDroppedFields(json));
  }

  /** Each line is a slice of one string, so no line is copied. */
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
    return decodeRecord(json, { now, genesis: this.#genesis });
  }
}

function isOverlong(line: string): boolean {
  if (line.length * 3 <= LINE_MAX) return false;
  return line.length > LINE_MAX || Buffer.byteLength(line) > LINE_MAX;
}

// Splitting bytes into whole lines.

/** The bytes kept of an overlong line: enough to recognise it as too long, even if it ends with CR. */
const KEPT_BYTES_LIMIT = LINE_MAX + 2;

class LineBuffer {
  #bytes = Buffer.allocUnsafeSlow(KEPT_BYTES_LIMIT);
  /** Start of the bytes that `take` has not returned yet. */
  #start = 0;
  /** Position after the last LF. */
  #whole = 0;
  #end = 0;

  /** Bytes of whole lines that `take` would return. */
  get size(): number {
    return this.#whole - this.#start;
  }

  /** Copies the chunk, but only the beginning of an overlong line. */
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
   * Returns the buffered whole lines with their LFs; with `last` also the bytes after the last LF. The result is a
   * view, valid until the next write.
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

// Parsing a line into an object.

const BYTE_ORDER_MARK = 0xfeff;

/** Parses the object of a line, or returns why it is malformed. For a repeated key the last value counts. */
function parseObject(line: string): Readonly<Record<string, unknown>> | string {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return line.charCodeAt(0) === BYTE_ORDER_MARK ? "the line begins with a byte order mark" : "the line is not JSON";
  }
  if (!isObject(value)) return "the line is not one JSON object";
  // Check the text rather than the value, so that repeated keys are checked too.
  if (line.includes("\\u") && hasLoneSurrogate(line)) return "the line has half of a surrogate pair";
  return value;
}

function malformed(sentence: string): Fault {
  return fault("malformed_json", null, sentence);
}

/** The hexadecimal digit after `\\ud`: 8 to b begins a high surrogate, c to f a low one. */
const HIGH = "89abAB";
const LOW = "cdefCDEF";

/** Returns true if valid JSON escapes only half of a surrogate pair. Unescaped halves are impossible in UTF-8 input. */
function hasLoneSurrogate(json: string): boolean {
  // End of a high surrogate that still needs its low one; −1 if there is none.
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
