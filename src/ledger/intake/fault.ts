/** Why a line is rejected, and what an accepted one is (docs/spec/intake.md#codes). */

/** Every code of docs/spec/intake.md#codes, in the order in which the first that fits is given. */
export const FAULT_CODES = [
  "malformed_json",
  "unknown_type",
  "unknown_field",
  "invalid_field",
  "out_of_range",
  "in_future",
  "counter_regression",
  "distance_regression",
  "unknown_round",
  "closure_overlap",
  "submission_terminal",
  "submission_invalid",
  "conflict",
] as const;
export type FaultCode = (typeof FAULT_CODES)[number];

/** Plain data, so that it can be sent from one thread to another. */
export interface Fault {
  readonly code: FaultCode;
  /** A dotted path; of a conflict the last field of its key; null if there is none. */
  readonly field: string | null;
  readonly sentence: string;
  /** The other faults of the same line, in the same order: people correct all of them at once. */
  readonly others: readonly Fault[];
}

export function fault(code: FaultCode, field: string | null, sentence: string, others: readonly Fault[] = []): Fault {
  return { code, field, sentence, others };
}

/** No record has a field `sentence`. */
export function isFault(found: object): found is Fault {
  return "sentence" in found;
}

/** The outcome of one well-formed record. */
export type Verdict = "accepted" | "duplicate" | Fault;

/** The same key with other content; `field` is the last of the key. */
export function conflict(field: string, sentence: string): Fault {
  return fault("conflict", field, sentence);
}
