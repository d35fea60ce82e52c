/** When each rejection code is given (docs/spec/intake.md#codes), for people. */
import type { FaultCode } from "../fault.ts";

interface Meaning {
  /** The field that the rejection names. */
  readonly field: string;
  readonly when: string;
  readonly mend: string;
}

export const CODES: Readonly<Record<FaultCode, Meaning>> = {
  malformed_json: {
    field: "none",
    when: "the line is not exactly one JSON object in UTF-8: a byte order mark, bytes that are not UTF-8, half of a surrogate pair, more than 1 MiB",
    mend: "write one object a line, ended by LF",
  },
  unknown_type: { field: "type", when: "no type, or none of the nine", mend: "each of the nine has its section above" },
  unknown_field: { field: "the unknown one", when: "a field that the type does not have", mend: "leave it out" },
  invalid_field: {
    field: "the wrong one",
    when: "a field is missing or of another form than its table says",
    mend: "every field is required; null only where the table says so",
  },
  out_of_range: {
    field: "the wrong one",
    when: "a number or decimal string of the right form outside its range",
    mend: "see the form's range",
  },
  in_future: {
    field: "the wrong one",
    when: "an instant, except `observedAt` of a receipt, is more than a minute ahead of the clock of `noonmark ingest`",
    mend: "set the clocks by NTP, and take the line again with `--retry`; `--allow-future` is for replays",
  },
  counter_regression: {
    field: "cumulativeWorkUnits",
    when: "the counter fell within its counterEpoch",
    mend: "a counter that starts again has a new counterEpoch; send receipts in the order of their counters",
  },
  distance_regression: {
    field: "distanceMm",
    when: "the distance fell within its counterEpoch",
    mend: "as of counter_regression",
  },
  unknown_round: {
    field: "firstRound or lastRound",
    when: "a closure names a round that was not accepted before",
    mend: "send the rounds first, then the closure again",
  },
  closure_overlap: {
    field: "firstRound or lastRound",
    when: "another closure has one of its rounds",
    mend: "each round is in one closure",
  },
  submission_terminal: {
    field: "lifecycle",
    when: "the submission is confirmed, reverted or superseded already",
    mend: "a new attempt has a new submissionId",
  },
  submission_invalid: {
    field: "that of the broken rule",
    when: "the record contradicts itself or moves back; the sentence names the rule",
    mend: "see [submission](#submission)",
  },
  conflict: {
    field: "the last field of the key",
    when: "the key is known with other content",
    mend: "facts are never changed; the same record again is a duplicate and harmless",
  },
};
