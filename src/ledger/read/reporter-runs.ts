/** Reads the Reporter's runs (docs/spec/intake.md#reporter_run). Instants are epoch ms. */
import { type ReadOnlyDatabase, readRow } from "../../sqlite/statement.ts";

export type RunResult = "submitted" | "nothing_to_submit" | "failed";

export interface ReporterRun {
  readonly startedAt: number;
  /** Null while the run lasts, as is result. */
  readonly finishedAt: number | null;
  readonly result: RunResult | null;
}

const COLUMNS = "started_at AS startedAt, finished_at AS finishedAt, result";

/** Returns the run with the highest startedAt. */
export function readLastRun(ledger: ReadOnlyDatabase, installation: number): ReporterRun | undefined {
  const sql = `SELECT ${COLUMNS} FROM reporter_run WHERE installation = ? ORDER BY started_at DESC LIMIT 1`;
  return readRow<ReporterRun>(ledger, sql, installation);
}

export interface LastCompletion {
  readonly finishedAt: number;
  /** True if a run that started later has not finished. */
  readonly newerRunUnfinished: boolean;
}

/** Returns the latest completion by finishedAt; ties go to the higher startedAt (docs/spec/api.md#process-queue). */
export function readLastCompletion(ledger: ReadOnlyDatabase, installation: number): LastCompletion | undefined {
  const completed = readRow<{ startedAt: number; finishedAt: number }>(
    ledger,
    `SELECT started_at AS startedAt, finished_at AS finishedAt FROM reporter_run
      WHERE installation = ? AND finished_at IS NOT NULL ORDER BY finished_at DESC, started_at DESC LIMIT 1`,
    installation,
  );
  if (completed === undefined) return undefined;
  const newer = readRow(
    ledger,
    "SELECT 1 FROM reporter_run WHERE installation = ? AND finished_at IS NULL AND started_at > ? LIMIT 1",
    installation,
    completed.startedAt,
  );
  return { finishedAt: completed.finishedAt, newerRunUnfinished: newer !== undefined };
}
