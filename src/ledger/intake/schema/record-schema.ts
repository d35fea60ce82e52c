/** The JSON Schemas (draft 2020-12) of what intake takes, from the very schemas that judge it. */

import * as z from "zod";
import { MAX_ACTIVE_ROUNDS } from "../../../values/settlement-limits.ts";
import { FACT_KINDS, type FactKind } from "../../schema.ts";
import { RECORD_SCHEMAS } from "../decode/records.ts";
import { EXAMPLES } from "./examples.ts";

/** The part of JSON Schema that the records use. */
export interface FieldSchema {
  readonly type?: string;
  readonly title?: string;
  readonly description?: string;
  readonly pattern?: string;
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly minimum?: number;
  readonly anyOf?: readonly FieldSchema[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, FieldSchema>>;
}

const DRAFT = "https://json-schema.org/draft/2020-12/schema";

/** One line of a type. What needs the ledger (`conflict`, `unknown_round` …) it cannot say; its description does. */
export function recordSchema(kind: FactKind): FieldSchema {
  const { keywords, rules } = BETWEEN_FIELDS[kind] ?? { keywords: {}, rules: [] };
  const { $schema: _, ...schema } = z.toJSONSchema(RECORD_SCHEMAS[kind], { io: "input", unrepresentable: "any" });
  return {
    $schema: DRAFT,
    title: kind,
    ...(rules.length === 0 ? {} : { description: rules.join(" ").replaceAll("`", "") }),
    ...schema,
    ...keywords,
    examples: [EXAMPLES[kind]],
  } as FieldSchema;
}

/** One line of any type. */
export function intakeSchema(): object {
  const schemas = FACT_KINDS.map((kind) => {
    const { $schema: _, ...schema } = recordSchema(kind) as { $schema?: string };
    return [kind, schema] as const;
  });
  return {
    $schema: DRAFT,
    title: "intake",
    description: "One line of NDJSON that noonmark ingest takes.",
    type: "object",
    required: ["type"],
    oneOf: FACT_KINDS.map((kind) => ({ $ref: `#/$defs/${kind}` })),
    $defs: Object.fromEntries(schemas),
  };
}

// The rules between the fields of one record, in JSON Schema as far as it can express them, and as sentences
// (docs/spec/intake.md#submission, #reporter_run, #closure).

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
