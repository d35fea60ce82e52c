/** docs/spec/api.md#process-builder, `builder`: the settled frontier, what is queued after it, and both together. */
import { formatTimestamp } from "../../values/timestamp.ts";
import type { ProcessFacts } from "./facts.ts";
import type { Builder } from "./schema.ts";
import { project } from "./sections/project.ts";

/** The first of the reasons that hold, in the order of docs/spec/api.md#process-builder. A stale measurement is none. */
export function builderOf({ measurement, core, rounds, openRoundWorkUnits }: ProcessFacts): Builder {
  if (measurement === undefined) return { status: "unavailable", reason: "no_measurement" };
  if (measurement.receipt.coreStatus === "COUNTER_FAULT") return { status: "unavailable", reason: "counter_fault" };
  if (!measurement.isEpochApproved) return { status: "unavailable", reason: "counter_epoch_unapproved" };
  if (core === undefined || rounds === undefined) return { status: "unavailable", reason: "oracle_head_unavailable" };
  const { closed } = rounds;
  if (closed === undefined) return { status: "unavailable", reason: "round_projection_gap" };
  const { lastSettlement } = core;
  return {
    status: "available",
    anchor: {
      settledThroughRound: String(core.settledThroughRound),
      cumulativeWork: String(core.cumulativeWork),
      blockHeight: String(core.blockHeight),
      currentWork: String(core.currentWork),
      workPerBlock: String(core.workPerBlock),
      confirmedAt: lastSettlement === null ? null : formatTimestamp(lastSettlement.confirmedAt),
      transactionHash: lastSettlement === null ? null : lastSettlement.transactionHash,
    },
    queued: {
      closedRoundCount: String(closed.count),
      closedWorkUnits: String(closed.workUnits),
      openRoundWorkUnits: String(openRoundWorkUnits),
    },
    projected: project(core, closed.workUnits + openRoundWorkUnits),
  };
}
