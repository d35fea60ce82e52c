/**
 * Derives the peaks (docs/spec/api.md#statistics-lifetime) and milestones (docs/spec/api.md#activity-policy) of the
 * configured installation's receipts, in position order.
 */
import type { Database } from "better-sqlite3";
import type { MeasuredReceipt } from "../ledger/sources.ts";
import type { ReadOnlyDatabase } from "../sqlite/statement.ts";
import { followMilestones, forgetMilestones } from "./activity/milestones.ts";
import { type Follower, forgetTotals, readTotals, writeTotals } from "./follow.ts";

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
      raisePeaks(projections, receipts);
      followMilestones(projections, receipts);
    },
    rewind(projections, to) {
      forgetTotals(projections, PEAKS);
      forgetMilestones(projections);
      return to.at;
    },
  };
}

/** The highest value of all receipts, from the earliest receipt with that value. */
type Peaks = Record<PeakKind, Peak | undefined>;
const PEAKS = "peaks";
const NONE: Peaks = { rpmMilli: undefined, speedMmPerSecond: undefined };
const NO_PEAK: Peak = { value: 0, observedAt: Number.NEGATIVE_INFINITY };

/** Returns undefined before the first receipt above zero. */
export function readPeak(projections: ReadOnlyDatabase, kind: PeakKind): Peak | undefined {
  return readTotals(projections, PEAKS, NONE)[kind];
}

function raisePeaks(projections: Database, receipts: readonly MeasuredReceipt[]): void {
  const before = readTotals(projections, PEAKS, NONE);
  const peaks = { ...before };
  for (const kind of PEAK_KINDS) {
    let highest = peaks[kind] ?? NO_PEAK;
    for (const { [kind]: value, observedAt } of receipts) {
      const isEarlier = value === highest.value && observedAt < highest.observedAt;
      if (value > highest.value || isEarlier) highest = { value, observedAt };
    }
    if (highest !== NO_PEAK) peaks[kind] = highest;
  }
  const isRaised = PEAK_KINDS.some((kind) => peaks[kind] !== before[kind]);
  if (isRaised) writeTotals(projections, PEAKS, peaks);
}
