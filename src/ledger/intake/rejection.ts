/**
 * How a rejected line is reported: a sentence for people on stderr, an object for programs in the rejects file
 * (docs/spec/intake.md#codes).
 */
import { printable } from "../../values/printable.ts";
import type { Fault } from "./fault.ts";

/** The most that a rejected line is quoted with, in bytes of UTF-8. */
export const RAW_MAX = 64 * 1024;
const SHOWN_FIELD_MAX = 256;

export interface Rejection {
  readonly line: number;
  readonly fault: Fault;
  /** The line as it was, without its end; U+FFFD for bytes that are not UTF-8; at most 64 KiB. */
  readonly raw: string;
}

const encoder = new TextEncoder();
const buffer = new Uint8Array(RAW_MAX);

/** `raw` may be of any length: it is cut here. */
export function rejection(line: number, raw: string, fault: Fault): Rejection {
  if (raw.length * 3 <= RAW_MAX) return { line, fault, raw };
  // `read` counts code units, and never half a pair.
  return { line, fault, raw: raw.slice(0, encoder.encodeInto(raw, buffer).read) };
}

/** At most so many faults of one line are reported: an object may have a hundred thousand unknown fields. */
const FAULTS_LIMIT = 32;

/** `line N: code field: sentence`, a line for each fault; nothing in it that a terminal would obey. */
export function rejectionSentences({ line, fault }: Rejection): string[] {
  const faults = [fault, ...fault.others];
  const shown = faults
    .slice(0, FAULTS_LIMIT)
    .map(
      ({ code, field, sentence }) =>
        `line ${line}: ${code} ${printable(field ?? "-", SHOWN_FIELD_MAX)}: ${printable(sentence, SHOWN_FIELD_MAX)}`,
    );
  const more = faults.length - shown.length;
  return more === 0 ? shown : [...shown, `line ${line}: … and ${more} more of its fields`];
}

/** One object of the rejects file, its fields in the contract's order; `file` names the file of a spool. */
export function rejectionJson({ line, fault, raw }: Rejection, file?: string): string {
  return JSON.stringify({ file, line, code: fault.code, field: fault.field, raw });
}
