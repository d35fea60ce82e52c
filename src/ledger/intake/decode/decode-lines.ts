/** Whole lines of bytes → a normalised record or a fault for each line that is not empty. */
import { isUtf8 } from "node:buffer";
import type { Hash64 } from "../accept/fact-hash.ts";
import { Fault } from "../fault.ts";
import { receiptDecoder } from "./decode-receipt.ts";
import { decodeRecord } from "./decode-record.ts";
import { malformed, parseObject } from "./json-object.ts";
import { LINE_MAX } from "./line-buffer.ts";
import type { IntakeRecord } from "./records.ts";

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

const LF = 10;
const CR = 13;
const OVERLONG = malformed("the line is longer than 1 MiB");
const NOT_UTF8 = malformed("the line has bytes that are not UTF-8");

/** Decodes the lines of one input, in order; it counts the lines. */
export class LineDecoder {
  readonly #now: () => number;
  #line = 0;
  readonly #receipt = receiptDecoder();

  /** `now` in epoch ms: the clock that instants must not be ahead of. */
  constructor(now: () => number = () => Number.POSITIVE_INFINITY) {
    this.#now = now;
  }

  /** Lines so far. */
  get lines(): number {
    return this.#line;
  }

  decode(lines: Buffer): DecodedLine[] {
    const decoded: DecodedLine[] = [];
    const now = this.#now();
    if (isUtf8(lines)) {
      // One string for the lines, of which the lines are slices: no copy for each line.
      const text = lines.toString("utf8");
      for (let start = 0; start < text.length; ) {
        const lf = text.indexOf("\n", start);
        const cr = lf > start && text.charCodeAt(lf - 1) === CR;
        const raw = text.slice(start, lf < 0 ? text.length : cr ? lf - 1 : lf);
        this.#line++;
        if (raw.length > 0) decoded.push(this.#decoded(raw, isOverlong(raw) ? OVERLONG : undefined, now));
        start = lf < 0 ? text.length : lf + 1;
      }
    } else {
      for (let start = 0; start < lines.length; ) {
        const lf = lines.indexOf(LF, start);
        const cr = lf > start && lines[lf - 1] === CR;
        const bytes = lines.subarray(start, lf < 0 ? lines.length : cr ? lf - 1 : lf);
        const problem = bytes.length > LINE_MAX ? OVERLONG : isUtf8(bytes) ? undefined : NOT_UTF8;
        this.#line++;
        if (bytes.length > 0) decoded.push(this.#decoded(bytes.toString("utf8"), problem, now));
        start = lf < 0 ? lines.length : lf + 1;
      }
    }
    return decoded;
  }

  #decoded(raw: string, problem: Fault | undefined, now: number): DecodedLine {
    return { line: this.#line, raw, record: problem ?? this.#decode(raw, now) };
  }

  #decode(raw: string, now: number): IntakeRecord | Fault {
    const json = parseObject(raw);
    if (json instanceof Fault) return json;
    return this.#receipt(json, now) ?? decodeRecord(json, now);
  }
}

function isOverlong(line: string): boolean {
  if (line.length * 3 <= LINE_MAX) return false;
  return line.length > LINE_MAX || Buffer.byteLength(line) > LINE_MAX;
}
