/**
 * The routes that show each field of a record: those whose response changes with the field's value. Every kept field is
 * in the log. `test/publish/shown-in.test.ts` changes each field and reads every route.
 */
import { FACT_KINDS, type FactKind } from "../schema.ts";
import { RECORD_TYPES } from "./record-types.ts";

/**
 * Names of routes, by kind and field; none if only the log has it. Without `type`, `installationId` and dropped fields.
 */
export const SHOWN_IN: Readonly<Record<FactKind, Readonly<Record<string, readonly string[]>>>> = {
  receipt: {
    telemetryId: ["telemetry", "installation-telemetry", "observations", "activity"],
    bootId: ["observations"],
    counterEpoch: ["telemetry", "installation-telemetry", "observations", "process", "activity"],
    sequence: ["observations"],
    observedAt: ["telemetry", "installation-telemetry", "observations", "process", "statistics", "activity"],
    receivedAt: ["telemetry", "installation-telemetry", "observations", "process", "activity"],
    cumulativeWorkUnits: ["telemetry", "installation-telemetry", "observations", "process"],
    provenance: ["telemetry", "installation-telemetry", "observations", "process"],
    softwareVersion: ["telemetry", "installation-telemetry", "observations"],
    coreStatus: ["telemetry", "installation-telemetry", "process"],
    rpmMilli: ["process", "statistics"],
    speedMmPerSecond: ["process", "statistics", "activity"],
    distanceMm: ["process", "activity"],
  },
  epoch: { counterEpoch: ["process"], approvedAt: [] },
  module: {
    instanceId: ["modules"],
    moduleType: ["modules"],
    driverId: ["modules"],
    moduleVersion: ["modules"],
    schemaVersion: ["modules"],
    state: ["modules"],
    observedAt: ["modules"],
    provenance: ["modules"],
    health: ["modules"],
  },
  round: {
    roundId: ["process", "statistics"],
    workUnits: ["process", "statistics"],
    distanceMm: ["statistics"],
    eligible: ["process"],
    closedAt: [],
  },
  closure: {
    firstRound: ["process", "statistics"],
    lastRound: ["process", "statistics"],
    acceptedAt: ["process"],
  },
  oracle: { blockedReason: ["process"], at: ["process"] },
  submission: {
    submissionId: ["process"],
    lifecycle: ["process", "settlements", "statistics"],
    previousSettledThroughRound: ["process", "settlements"],
    settledThroughRound: ["process", "settlements"],
    activeRoundCount: ["process", "settlements"],
    "expected.cumulativeWork": ["process", "statistics"],
    "expected.blockHeight": ["process", "settlements", "statistics"],
    "expected.currentWork": ["process"],
    "expected.completedBlockCount": ["process", "settlements", "statistics"],
    transactionHash: ["process"],
    preparedAt: ["process", "statistics"],
    submittedAt: ["process", "statistics"],
    terminalAt: ["process"],
    confirmedAt: ["process", "statistics"],
    outcomeCode: ["process", "statistics"],
  },
  reporter_run: { startedAt: ["process"], finishedAt: ["process"], result: ["process"] },
  settlement_control: {
    settlementEnabled: ["process"],
    reporterEnvironmentEnabled: ["process"],
    blockedReason: ["process"],
    incidentOpen: ["process"],
    at: ["process"],
  },
};

/** The only route that shows a field of every record. The others show newest values, sums, peaks and milestones. */
export const EVERY_RECORD = "observations";

/** Returns where readers find a field, as docs/facts.md says it; empty for `type` and `installationId`. */
export function shownIn(kind: FactKind, field: string): string {
  const { dropped = [] } = RECORD_TYPES[kind];
  if (dropped.includes(field)) return "*dropped*";
  const routes = SHOWN_IN[kind][field];
  if (routes === undefined) return "";
  return routes.length === 0 ? "*only in the log*" : routes.join(", ");
}

/** Lists the fields by kind (`receipt: rpmMilli, distanceMm; epoch: …`) whose routes fulfil the condition. */
export function fieldsShown(
  is: (routes: readonly string[]) => boolean,
  kinds: readonly FactKind[] = FACT_KINDS,
): string {
  const lists = kinds.map((kind) => {
    const fields = Object.keys(SHOWN_IN[kind]).filter((field) => is(SHOWN_IN[kind][field] ?? []));
    return fields.length === 0 ? [] : [`${kind}: ${fields.join(", ")}`];
  });
  return lists.flat().join("; ");
}
