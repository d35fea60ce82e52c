/**
 * docs/spec/api.md#process-queue, settlementQueue.latestSubmission, and its rules 4 and 7 (as strict as
 * docs/spec/intake.md#submission).
 */
import * as z from "zod";
import { uint64String, uint256String } from "../../values/decimal.ts";
import { MAX_ACTIVE_ROUNDS } from "../../values/settlement-limits.ts";
import { chainHash, timestamp, uuid } from "../fields.ts";

const TERMINAL: ReadonlySet<string> = new Set(["confirmed", "reverted", "superseded"]);

export const submissionSchema = z
  .strictObject({
    submissionId: uuid,
    lifecycle: z.enum(["preparing", "submitted", "retrying", "confirmed", "reverted", "superseded"]),
    previousSettledThroughRound: uint64String,
    settledThroughRound: uint64String,
    roundCount: uint64String,
    activeRoundCount: uint64String,
    expected: z.strictObject({
      cumulativeWork: uint256String,
      blockHeight: uint64String,
      currentWork: uint64String,
      completedBlockCount: uint64String,
    }),
    transactionHash: chainHash.nullable(),
    preparedAt: timestamp,
    submittedAt: timestamp.nullable(),
    terminalAt: timestamp.nullable(),
    confirmedAt: timestamp.nullable(),
    outcomeCode: z.enum(["reverted", "superseded"]).nullable(),
  })
  .refine(
    (it) => BigInt(it.roundCount) === BigInt(it.settledThroughRound) - BigInt(it.previousSettledThroughRound),
    "rule 4: roundCount is the new frontier minus the previous one",
  )
  .refine(
    (it) => BigInt(it.activeRoundCount) <= BigInt(it.roundCount) && BigInt(it.activeRoundCount) <= MAX_ACTIVE_ROUNDS,
    `rule 4: activeRoundCount is at most roundCount and at most ${MAX_ACTIVE_ROUNDS}`,
  )
  .refine(
    (it) => it.submittedAt !== null || !["submitted", "confirmed", "reverted"].includes(it.lifecycle),
    "rule 7: submitted, confirmed and reverted submissions have submittedAt",
  )
  .refine(
    (it) => (it.terminalAt !== null) === TERMINAL.has(it.lifecycle),
    "rule 7: terminalAt exists exactly in terminal lifecycles",
  )
  .refine(
    (it) => (it.confirmedAt !== null) === (it.lifecycle === "confirmed"),
    "rule 7: only confirmed submissions have confirmedAt",
  )
  .refine(
    (it) => it.outcomeCode === (it.lifecycle === "reverted" || it.lifecycle === "superseded" ? it.lifecycle : null),
    "rule 7: reverted and superseded submissions have the matching outcome code, others none",
  );
