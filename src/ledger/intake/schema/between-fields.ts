/**
 * What holds between the fields of one record: in JSON Schema as far as that can say it, and as sentences
 * (docs/spec/intake.md#submission, #reporter_run, #closure).
 */
import { MAX_ACTIVE_ROUNDS } from "../../../values/settlement-limits.ts";
import type { FactKind } from "../../schema.ts";

interface BetweenFields {
  readonly keywords: Readonly<Record<string, unknown>>;
  /** Each a sentence, with the code and the field of its rejection. */
  readonly rules: readonly string[];
}

const NULL = { type: "null" };
const SET = { type: "string" };

export const BETWEEN_FIELDS: Partial<Record<FactKind, BetweenFields>> = {
  receipt: {
    keywords: {},
    rules: [
      "Within one counterEpoch, cumulativeWorkUnits never falls from one accepted receipt to the next: `counter_regression`; nor does distanceMm: `distance_regression`.",
      "Another receipt with the same bootId and sequence is a `conflict` of sequence.",
    ],
  },
  module: {
    keywords: {},
    rules: ["A snapshot older than the stored one of the same instanceId is a duplicate, whatever it says."],
  },
  round: {
    keywords: {},
    rules: [
      "A new round that would lift the installation's total of work or distance above (2^256 - 1) / 1000 is `out_of_range`.",
    ],
  },
  closure: {
    keywords: {},
    rules: [
      "lastRound below firstRound is `invalid_field` of lastRound.",
      "Each round from firstRound to lastRound was accepted before, on a line above or earlier: else `unknown_round`.",
      "No two closures overlap: `closure_overlap`.",
    ],
  },
  reporter_run: {
    keywords: {
      oneOf: [{ properties: { finishedAt: NULL, result: NULL } }, { properties: { finishedAt: SET, result: SET } }],
    },
    rules: [
      "finishedAt and result are null together, while the run lasts: else `invalid_field` of result.",
      "finishedAt before startedAt is `invalid_field` of finishedAt.",
    ],
  },
  submission: {
    keywords: {
      allOf: [{ properties: { activeRoundCount: { type: "integer", maximum: Number(MAX_ACTIVE_ROUNDS) } } }],
      oneOf: [
        lifecycle("preparing", { submittedAt: NULL, terminalAt: NULL, confirmedAt: NULL, outcomeCode: NULL }),
        lifecycle("submitted", { submittedAt: SET, terminalAt: NULL, confirmedAt: NULL, outcomeCode: NULL }),
        lifecycle("retrying", { terminalAt: NULL, confirmedAt: NULL, outcomeCode: NULL }),
        lifecycle("confirmed", { submittedAt: SET, terminalAt: SET, confirmedAt: SET, outcomeCode: NULL }),
        lifecycle("reverted", {
          submittedAt: SET,
          terminalAt: SET,
          confirmedAt: NULL,
          outcomeCode: { const: "reverted" },
        }),
        lifecycle("superseded", { terminalAt: SET, confirmedAt: NULL, outcomeCode: { const: "superseded" } }),
      ],
    },
    rules: [
      `settledThroughRound is above previousSettledThroughRound; activeRoundCount is at most their difference, and at most ${MAX_ACTIVE_ROUNDS}.`,
      "submittedAt is null in preparing and set in submitted, confirmed and reverted; terminalAt is set in confirmed, reverted and superseded alone, confirmedAt in confirmed alone; outcomeCode is `reverted` or `superseded` in the lifecycle of that name and null elsewhere.",
      "preparedAt ≤ submittedAt ≤ confirmedAt ≤ terminalAt, as far as they are set; no lifecycle moves back to preparing. All of these are `submission_invalid`.",
      "Another previousSettledThroughRound, settledThroughRound, expected or preparedAt of a known submissionId is a `conflict`; anything else new after confirmed, reverted or superseded is `submission_terminal`.",
    ],
  },
};

function lifecycle(word: string, properties: Readonly<Record<string, unknown>>) {
  return { properties: { lifecycle: { const: word }, ...properties } };
}
