/** What the statistics of an installation depend on, as one short text: another text, another body. */
import type { Database } from "better-sqlite3";
import { readFollowedClosures, readFollowedOf } from "../followed.ts";
import { readRoundTotals } from "../rounds/round-totals.ts";
import { PEAK_KINDS, readPeak } from "./peaks.ts";

/**
 * Rounds are only ever added and never change, so their count and sums tell; submissions by the newest change. Of the
 * receipts only the peaks stand in it: one every three seconds would otherwise rebuild a body that says the same.
 */
export function statisticsVersion(projections: Database, installation: number): string {
  const totals = readRoundTotals(projections, installation);
  const { genesis, closureSeq, nextRound } = readFollowedClosures(projections);
  const changed = readFollowedOf(projections, installation)?.changedSeq;
  const parts = [
    genesis,
    // Another installation's closures move nothing here, but the first one after a rebuild does.
    totals === undefined ? `${closureSeq} ${nextRound}` : "",
    totals?.observed,
    totals?.work,
    totals?.distance,
    totals?.firstSlot,
    totals?.lastSlot,
    changed,
    ...PEAK_KINDS.map((kind) => Object.values(readPeak(projections, installation, kind) ?? {}).join("@")),
  ];
  return parts.join("|");
}
