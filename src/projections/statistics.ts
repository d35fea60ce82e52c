/** The inputs of the statistics, as one short text: another text, another body. */
import type { ReadOnlyDatabase } from "../sqlite/statement.ts";
import { readCursor } from "./follow.ts";
import { PEAK_KINDS, readPeak } from "./receipts.ts";
import { readRoundTotals } from "./rounds/round-totals.ts";
import { ROUNDS } from "./rounds/rounds.ts";
import { SUBMISSIONS } from "./settlements/submissions.ts";

/**
 * Rounds are only ever added and never change, so their count and sums tell; submissions by the newest change. Of the
 * receipts only the peaks count: one every three seconds would otherwise rebuild a body that says the same.
 */
export function statisticsVersion(projections: ReadOnlyDatabase): string {
  const totals = readRoundTotals(projections);
  const rounds = readCursor(projections, ROUNDS);
  const parts = [
    rounds?.version,
    // The first closures after a rebuild count before any of their rounds is observed.
    totals === undefined ? rounds?.at : "",
    totals?.observed,
    totals?.work,
    totals?.distance,
    totals?.firstSlot,
    totals?.lastSlot,
    readCursor(projections, SUBMISSIONS)?.at,
    ...PEAK_KINDS.map((kind) => Object.values(readPeak(projections, kind) ?? {}).join("@")),
  ];
  return parts.join("|");
}
