/**
 * The peaks (docs/spec/api.md#statistics-lifetime) and milestones (docs/spec/api.md#activity-policy) of the configured
 * installation's receipts, in the order of their positions.
 */
import type { Database } from "better-sqlite3";
import type { MeasuredReceipt } from "../ledger/logs.ts";
import { type ReadOnlyDatabase, statement } from "../sqlite/statement.ts";
import { followMilestones, forgetMilestones } from "./activity/milestones.ts";
import type { Follower } from "./follow.ts";

export const PEAK_TABLE = `
-- the highest value of all receipts, and the earliest receipt that has it
CREATE TABLE peak (
  -- rpmMilli or speedMmPerSecond
  kind TEXT PRIMARY KEY,
  value INTEGER NOT NULL,
  observed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;

export const PEAK_KINDS = ["rpmMilli", "speedMmPerSecond"] as const;
export type PeakKind = (typeof PEAK_KINDS)[number];

export interface Peak {
  /** milli-RPM or mm/s, above zero. */
  readonly value: number;
  /** Epoch ms. */
  readonly observedAt: number;
}

export const RECEIPTS = "receipts";

export function receiptFollower(installationId: string): Follower<MeasuredReceipt> {
  return {
    name: RECEIPTS,
    version: `1 ${installationId}`,
    cost: 1,
    apply(projections, receipts) {
      for (const kind of PEAK_KINDS) raisePeak(projections, kind, receipts);
      followMilestones(projections, receipts);
    },
    rewind(projections, to) {
      projections.exec("DELETE FROM peak");
      forgetMilestones(projections);
      return to.at;
    },
  };
}

/** Undefined before the first receipt above zero. */
export function readPeak(projections: ReadOnlyDatabase, kind: PeakKind): Peak | undefined {
  const sql = "SELECT value, observed_at AS observedAt FROM peak WHERE kind = ?";
  return statement<[string], Peak>(projections, sql).get(kind);
}

function raisePeak(projections: Database, kind: PeakKind, receipts: readonly MeasuredReceipt[]): void {
  const before = readPeak(projections, kind) ?? { value: 0, observedAt: Number.NEGATIVE_INFINITY };
  let highest: Peak = before;
  for (const { [kind]: value, observedAt } of receipts) {
    const isEarlier = value === highest.value && observedAt < highest.observedAt;
    if (value > highest.value || isEarlier) highest = { value, observedAt };
  }
  if (highest === before) return;
  const sql = "INSERT OR REPLACE INTO peak VALUES (?, ?, ?)";
  statement(projections, sql).run(kind, highest.value, highest.observedAt);
}
