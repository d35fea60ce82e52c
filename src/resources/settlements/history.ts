/** Reads the window and batches of a range for both versions (docs/spec/api.md#settlements-window). */

import {
  completedBlocks,
  lastSettlementBefore,
  type Settlement,
  settlementBefore,
  settlementsBetween,
} from "../../projections/settlements/settlements.ts";
import type { ReadOnlyDatabase } from "../../sqlite/statement.ts";
import { DAY_MS, noonDay, noonOf } from "../../values/noon-day.ts";
import { formatTimestamp } from "../../values/timestamp.ts";
import type { SettlementRange } from "./route.ts";

const HOUR_MS = 3_600_000;

/** Epoch ms; `start` is included, `end` is not. */
export interface Window {
  readonly start: number;
  readonly end: number;
  readonly bucketSeconds: number;
}

interface Layout {
  readonly bucketCount: number;
  readonly bucketMs: number;
  readonly endAfter: (at: number) => number;
}

const nextHour = (at: number) => (Math.floor(at / HOUR_MS) + 1) * HOUR_MS;
const nextNoon = (at: number) => noonOf(noonDay(at) + 1);

/** `endAfter` returns the next boundary strictly after an instant. */
export const LAYOUTS = {
  "24h": { bucketCount: 24, bucketMs: HOUR_MS, endAfter: nextHour },
  "7d": { bucketCount: 28, bucketMs: 6 * HOUR_MS, endAfter: nextNoon },
  "30d": { bucketCount: 30, bucketMs: DAY_MS, endAfter: nextNoon },
} as const satisfies Record<Exclude<SettlementRange, "now">, Layout>;

/** Returns the window of a range at `at`; `undefined` for the lifetime. */
export function windowOf(range: SettlementRange, at: number): Window | undefined {
  if (range === "now") return undefined;
  const { bucketCount, bucketMs, endAfter } = LAYOUTS[range];
  const end = endAfter(at);
  return { start: end - bucketCount * bucketMs, end, bucketSeconds: bucketMs / 1000 };
}

/** The maximum number of batches that are listed individually. */
export const MAX_RECENT = 12;

interface RecentSettlement {
  readonly settlement: Settlement;
  /** Fields in the order of the API's table, without the mint. */
  readonly fields: Readonly<Record<string, string | null>>;
}

export interface SettlementHistory {
  readonly window: { startAt: string; endAt: string; bucketSeconds: number } | null;
  readonly summary: Readonly<Record<string, string>>;
  readonly recent: readonly RecentSettlement[];
  readonly buckets: readonly Readonly<Record<string, string>>[];
}

/** Reads the batches of a window, or of the lifetime without one. The number of rows is bounded. */
export function readHistory(projections: ReadOnlyDatabase, window: Window | undefined): SettlementHistory {
  const { start, end } = window ?? { start: Number.MIN_SAFE_INTEGER, end: Number.MAX_SAFE_INTEGER };
  const recent = withDeltas(projections, settlementsBetween(projections, start, end, MAX_RECENT));
  const totals = totalsBetween(lastSettlementBefore(projections, start), lastSettlementBefore(projections, end));
  return {
    window:
      window === undefined
        ? null
        : { startAt: formatTimestamp(start), endAt: formatTimestamp(end), bucketSeconds: window.bucketSeconds },
    summary: { ...totals, archivedSettlementCount: String(BigInt(totals.settlementCount) - BigInt(recent.length)) },
    recent,
    buckets: window === undefined ? [] : bucketsOf(projections, window),
  };
}

function bucketsOf(
  projections: ReadOnlyDatabase,
  { start, end, bucketSeconds }: Window,
): Readonly<Record<string, string>>[] {
  const buckets = [];
  let before = lastSettlementBefore(projections, start);
  for (let from = start; from < end; from += bucketSeconds * 1000) {
    const to = from + bucketSeconds * 1000;
    const last = lastSettlementBefore(projections, to);
    buckets.push({ startAt: formatTimestamp(from), endAt: formatTimestamp(to), ...totalsBetween(before, last) });
    before = last;
  }
  return buckets;
}

/** Returns the sums of the batches after `before`, up to and including `last`. */
function totalsBetween(before: Settlement | undefined, last: Settlement | undefined) {
  return {
    settlementCount: String((last?.batches ?? 0n) - (before?.batches ?? 0n)),
    activeRoundCount: String((last?.totalActiveRounds ?? 0n) - (before?.totalActiveRounds ?? 0n)),
    workAdded: String((last?.cumulativeWork ?? 0n) - (before?.cumulativeWork ?? 0n)),
    completedBlockCount: String((last?.blockHeight ?? 0n) - (before?.blockHeight ?? 0n)),
  };
}

/** Adds differences to the previous batch. `newestFirst` must have no gap. */
function withDeltas(projections: ReadOnlyDatabase, newestFirst: readonly Settlement[]): RecentSettlement[] {
  return newestFirst.map((settlement, index) => ({
    settlement,
    fields: fieldsOf(settlement, newestFirst[index + 1] ?? settlementBefore(projections, settlement)),
  }));
}

function fieldsOf(settlement: Settlement, before: Settlement | undefined): Record<string, string | null> {
  const previousHeight = before?.blockHeight ?? 0n;
  return {
    transactionHash: settlement.transactionHash,
    previousSettledThroughRound: String(settlement.previousRound),
    settledThroughRound: String(settlement.settledRound),
    activeRoundCount: String(settlement.activeRounds),
    workAdded: String(settlement.cumulativeWork - (before?.cumulativeWork ?? 0n)),
    cumulativeWork: String(settlement.cumulativeWork),
    ...completedBlocks(previousHeight, settlement.blockHeight),
    blockHeight: String(settlement.blockHeight),
    ethereumBlockNumber: String(settlement.blockNumber),
    blockTimestamp: formatTimestamp(settlement.blockTimestamp),
    logIndex: String(settlement.logIndex),
    confirmationStatus: "safe",
  };
}
