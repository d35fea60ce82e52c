/** docs/spec/api.md#process */
import type { Contract } from "../contract.ts";
import { processSchema } from "./schema.ts";

export const processContract = {
  operation: "process",
  body: { name: "Process", schema: processSchema },
  tag: "Measurement",
  summary: "Measured, accepted, optimistic and queued work, apart",
  description: "A body that differs by generatedAt alone keeps its revision and gives 304.",
  rules: [
    "workPerBlock is positive and currentWork is below it. docs/spec/api.md#process-rules 1",
    "firstCompletedBlock and lastCompletedBlock exist exactly when completedBlockCount is not zero, and end at the projected blockHeight. docs/spec/api.md#process-rules 2",
    "roundCount of latestClosure and of buffered is the span of the inclusive bounds. docs/spec/api.md#process-rules 3",
    "roundCount of a submission is settledThroughRound minus previousSettledThroughRound; activeRoundCount is at most that and at most 16. docs/spec/api.md#process-rules 4",
    "latestAcceptedAt is null exactly when the Oracle is unavailable; accepted and stale have no reason, blocked and unavailable have one. docs/spec/api.md#process-rules 5",
    "The queue is blocked exactly when blockedReason is not null; empty has no buffered round, ready has at least one. docs/spec/api.md#process-rules 6",
    "Timestamps and outcomeCode of a submission follow its lifecycle. docs/spec/api.md#process-rules 7",
  ],
} as const satisfies Contract;
