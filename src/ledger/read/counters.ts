/** The work counter's course, without the rest of each receipt (docs/spec/intake.md#receipt). */
import type { Database } from "better-sqlite3";
import { statement } from "../../sqlite/statement.ts";

export interface CounterReading {
  readonly counterEpoch: string;
  /** Epoch ms. */
  readonly observedAt: number;
  /** uint64 decimal string. */
  readonly cumulativeWorkUnits: string;
}

/** The readings above `after` up to and including `from`, by descending position; read as they are asked for. */
export function iterateCountersBack(
  ledger: Database,
  installation: number,
  after: number,
  from: number,
): IterableIterator<CounterReading> {
  const sql = `SELECT counter_epoch AS counterEpoch, observed_at AS observedAt,
      cumulative_work_units AS cumulativeWorkUnits
    FROM receipt WHERE installation = ? AND position > ? AND position <= ? ORDER BY position DESC`;
  return statement<[number, number, number], CounterReading>(ledger, sql).iterate(installation, after, from);
}
