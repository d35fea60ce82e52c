/** docs/spec/api.md#statistics-buckets, bucket rules 1 to 3, as three closed shapes. */
import * as z from "zod";
import { uint256String } from "../../values/decimal.ts";

/** 0 to 1410, a multiple of 30; a literal is checked in one step, and a body has some 1,500 of them. */
export const startMinuteUtc = z.literal(Array.from({ length: 48 }, (_, index) => index * 30));

/** The rules of a bucket's coverage; a message names the rule. */
export const BUCKET_LAWS = {
  complete: { counts: [3], known: true, rule: "bucket rule 1: complete has 3 rounds and work" },
  partial: { counts: [1, 2], known: true, rule: "bucket rule 2: partial has 1 or 2 rounds and work" },
  missing: { counts: [0], known: false, rule: "bucket rule 3: missing has no round and no work" },
  future: { counts: [0], known: false, rule: "bucket rule 3: future has no round and no work" },
} as const;

export const bucketSchema = z
  .strictObject({
    startMinuteUtc,
    coverage: z.enum(["complete", "partial", "missing", "future"]),
    observedRoundCount: z.literal([0, 1, 2, 3]),
    workUnits: uint256String.nullable(),
  })
  .check(({ value, issues }) => {
    const { counts, known, rule } = BUCKET_LAWS[value.coverage];
    const holds =
      (counts as readonly number[]).includes(value.observedRoundCount) && (value.workUnits !== null) === known;
    if (!holds) issues.push({ code: "custom", message: rule, input: value });
  });
