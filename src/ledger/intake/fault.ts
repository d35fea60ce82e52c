/** Faults of rejected lines and verdicts on records (docs/spec/intake.md#codes). */

/** Every code of docs/spec/intake.md#codes, in order of precedence. */
export const FAULT_CODES = [
  "malformed_json",
  "unknown_type",
  "unknown_field",
  "invalid_field",
  "out_of_range",
  "in_future",
  "installation_not_listed",
  "counter_regression",
  "distance_regression",
  "unknown_round",
  "closure_overlap",
  "submission_terminal",
  "submission_invalid",
  "conflict",
] as const;
export type FaultCode = (typeof FAULT_CODES)[number];

/** Plain data, so that it can be sent between threads. */
export interface Fault {
  readonly code: FaultCode;
  /** A dotted path, or for a conflict the last field of the key; null if no field applies. */
  readonly field: string | null;
  readonly sentence: string;
  /** The other faults of the line in order of precedence, so that people can correct all at once. */
  readonly others: readonly Fault[];
}

export function fault(code: FaultCode, field: string | null, sentence: string, others: readonly Fault[] = []): Fault {
  return { code, field, sentence, others };
}

/** A record has no field `sentence`. */
export function isFault(found: object): found is Fault {
  return "sentence" in found;
}

/** The outcome of one well-formed record. */
export type IntakeOutcome = "accepted" | "duplicate" | Fault;

/** Reports a stored record with the same key and other content; `field` is the last field of the key. */
export function conflict(field: string, sentence: string): Fault {
  return fault("conflict", field, sentence);
}
