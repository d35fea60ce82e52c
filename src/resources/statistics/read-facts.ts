/** The inputs of one statistics body, read from the projections: about forty rows, however long the history is. */

import { areStatisticsBehind } from "../../projections/advance.ts";
import { type RoundTotals, readRoundTotals } from "../../projections/rounds/round-totals.ts";
import { type DayRounds, readDays } from "../../projections/rounds/rounds-day.ts";
import {
  readSubmissionTotals,
  readSubmitted,
  type SubmissionState,
  type SubmissionTotals,
} from "../../projections/settlements/submissions.ts";
import type { ReadOnlyDatabase } from "../../sqlite/statement.ts";
import { type RecordFacts, readRecords } from "./read-records.ts";
import type { StatisticsRange } from "./route.ts";
import { windowOf } from "./window.ts";

export interface StatisticsFacts {
  readonly installationId: string;
  /** The days of the window, ascending; days without an observed round are missing. */
  readonly days: readonly DayRounds[];
  readonly totals: RoundTotals;
  readonly records: RecordFacts;
  /** Undefined where there never was a submission. */
  readonly submissions: SubmissionTotals | undefined;
  /** Submitted within the window. */
  readonly submitted: readonly SubmissionState[];
}

/**
 * The facts as of `at` (epoch ms), to which the projections have been advanced. Undefined where they are behind the
 * ledger, where genesis (seconds) is unknown or another, and before the first observed round: the statistics are then
 * being rebuilt.
 */
export function readStatisticsFacts(
  ledger: ReadOnlyDatabase,
  projections: ReadOnlyDatabase,
  options: {
    readonly installationId: string;
    readonly genesis: bigint | undefined;
    readonly range: StatisticsRange;
    readonly at: number;
  },
): StatisticsFacts | undefined {
  const { installationId, genesis, range, at } = options;
  if (areStatisticsBehind(projections, { ledger, installationId, genesis, at })) return undefined;
  const totals = readRoundTotals(projections);
  if (totals === undefined) return undefined;
  const { firstDay, lastDay, startAt, endAt } = windowOf(range, at);
  return {
    installationId,
    days: readDays(projections, firstDay, lastDay),
    totals,
    records: readRecords(projections, totals),
    submissions: readSubmissionTotals(projections),
    submitted: readSubmitted(projections, startAt, endAt),
  };
}
