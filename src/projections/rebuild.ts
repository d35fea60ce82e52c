/**
 * `noonmark rebuild` (docs/spec/publishing.md#following): deletes the projections of the ledger and derives them again,
 * one transaction per step. A publisher may keep running and take steps too; responses that need missing data stay
 * unchanged until it is there.
 */

import { rmSync } from "node:fs";
import type { Database } from "better-sqlite3";
import { installationRowId, readWatermarks } from "../ledger/watermarks.ts";
import { damageOf, sqliteFailure } from "../sqlite/sqlite-failure.ts";
import type { ReadOnlyDatabase } from "../sqlite/statement.ts";
import { Failure } from "../values/failure.ts";
import { advanceLedgerViews, forgetLedger, type LedgerInputs } from "./advance.ts";
import { readCursor, StepBudget } from "./follow.ts";
import { openProjections } from "./open.ts";
import { RECEIPTS } from "./receipts.ts";
import { readRoundTotals } from "./rounds/round-totals.ts";

/** Budget of one step in microseconds. A publisher waits no longer, because each step releases the lock. */
const STEP_US = 50_000;

export interface RebuildProgress {
  /** Receipts and observed rounds. */
  readonly done: number;
  readonly total: number;
}

export interface Rebuilt {
  readonly receipts: number;
  /** Observed rounds. */
  readonly rounds: number;
}

/**
 * Rebuilds the projections, and replaces a damaged file. Throws `Failure`: projections_foreign and
 * the others of `openProjections` (74), projections_locked (75) if a publisher's transaction takes too long.
 */
export function rebuildProjections(
  path: string,
  inputs: LedgerInputs & { readonly ledger: Database },
  onProgress: (progress: RebuildProgress) => void,
): Rebuilt {
  const projections = openOrReplace(path);
  try {
    const { ledger, installationId } = inputs;
    const rowId = installationRowId(ledger, installationId);
    const facts = rowId === undefined ? undefined : readWatermarks(ledger, rowId);
    const total = (facts?.receipt ?? 0) + (facts?.round ?? 0);
    forgetLedger(projections);
    const step = ledger.transaction(() => advanceLedgerViews(projections, inputs, new StepBudget(STEP_US)));
    while (step()) {
      const { receipts, rounds } = rebuilt(projections);
      onProgress({ done: receipts + rounds, total });
    }
    return rebuilt(projections);
  } catch (error) {
    throw sqliteFailure(error, path, "projections", "write");
  } finally {
    projections.close();
  }
}

function rebuilt(projections: ReadOnlyDatabase): Rebuilt {
  const receipts = Number(readCursor(projections, RECEIPTS)?.at ?? 0);
  return { receipts, rounds: readRoundTotals(projections)?.observed ?? 0 };
}

function openOrReplace(path: string): Database {
  try {
    const db = openProjections(path);
    if (damageOf(db) === undefined) return db;
    db.close();
  } catch (error) {
    if (!(error instanceof Failure) || !/_(?:damaged|not_a_database)$/.test(error.code)) throw error;
  }
  for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
  return openProjections(path);
}
