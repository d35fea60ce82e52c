/** Formats a rejected line for people (stderr) and for programs (the rejects file; docs/spec/intake.md#codes). */
import { printable } from "../../values/printable.ts";
import type { Fault, FaultCode } from "./fault.ts";

/** The most bytes of UTF-8 quoted from a rejected line. */
const RAW_MAX = 64 * 1024;
const SHOWN_FIELD_MAX = 256;

export interface Rejection {
  readonly line: number;
  readonly fault: Fault;
  /** The original line without its line end, at most 64 KiB; U+FFFD replaces bytes that are not UTF-8. */
  readonly raw: string;
}

const encoder = new TextEncoder();
const buffer = new Uint8Array(RAW_MAX);

/** Creates a rejection and cuts `raw` to `RAW_MAX` bytes. */
export function rejection(line: number, raw: string, fault: Fault): Rejection {
  if (raw.length * 3 <= RAW_MAX) return { line, fault, raw };
  // `read` counts whole code points in code units, so a pair is never split.
  return { line, fault, raw: raw.slice(0, encoder.encodeInto(raw, buffer).read) };
}

export type FaultHints = Readonly<Partial<Record<FaultCode, string>>>;

/** The most faults reported for one line: an object may have a hundred thousand unknown fields. */
const FAULTS_LIMIT = 32;

/**
 * Returns `line N: code field: sentence` for each fault, without characters that control a terminal. `todo` has what to
 * do about a code.
 */
export function rejectionSentences({ line, fault }: Rejection, todo: FaultHints = {}): string[] {
  const faults = [fault, ...fault.others];
  const shown = faults.slice(0, FAULTS_LIMIT).map((one) => {
    const hint = todo[one.code];
    return `line ${line}: ${faultSentence(one)}${hint === undefined ? "" : `; ${hint}`}`;
  });
  const more = faults.length - shown.length;
  return more === 0 ? shown : [...shown, `line ${line}: … and ${more} more of its fields`];
}

/** Returns `code field: sentence`, without characters that control a terminal. */
export function faultSentence({ code, field, sentence }: Fault): string {
  return `${code} ${printable(field ?? "-", SHOWN_FIELD_MAX)}: ${printable(sentence, SHOWN_FIELD_MAX)}`;
}

/** The part of an input that numbers its lines from 1: a file of a spool, or a message of a stream. */
export type RejectedFrom = { readonly file?: string | undefined } | { readonly sequence: number };

/** Returns one line of the rejects file, with its fields in documented order. */
export function rejectionJson({ line, fault, raw }: Rejection, from: RejectedFrom = {}): string {
  return JSON.stringify({ ...from, line, code: fault.code, field: fault.field, raw });
}
