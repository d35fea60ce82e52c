import type { FactKind } from "../../schema.ts";

/** What a record of each type says, and the fields by which it is known again. */
export const KEYS: Readonly<Record<FactKind, { readonly says: string; readonly key: readonly string[] }>> = {
  receipt: { says: "An accepted measurement.", key: ["telemetryId"] },
  epoch: { says: "A counter epoch that the Oracle lets count.", key: ["counterEpoch"] },
  module: { says: "The newest snapshot of one module.", key: ["instanceId", "observedAt"] },
  round: { says: "A closed round of 600 seconds.", key: ["roundId"] },
  closure: { says: "The Oracle accepted closed rounds.", key: ["firstRound", "lastRound"] },
  oracle: { says: "The Oracle blocks, or no longer does; the latest `at` counts.", key: ["at"] },
  submission: { says: "A settlement submission; later records move it on.", key: ["submissionId"] },
  reporter_run: { says: "One run of the Reporter, open or finished.", key: ["startedAt"] },
  settlement_control: { says: "The operator's switches; the latest `at` counts.", key: ["at"] },
};
