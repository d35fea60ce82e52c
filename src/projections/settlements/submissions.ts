/** Where each settlement submission stands, ordered by its submission, and what the confirmed ones add up to. */
import type { Database } from "better-sqlite3";
import { statement } from "../../sqlite/statement.ts";
import type { Databases } from "../databases.ts";

export const SUBMISSION_TABLES = `
CREATE TABLE submission_state (
  installation INTEGER NOT NULL,
  submission_id TEXT NOT NULL,
  lifecycle TEXT NOT NULL,
  prepared_at INTEGER NOT NULL,
  submitted_at INTEGER,
  confirmed_at INTEGER,
  -- whether it completes no block
  zero_block INTEGER NOT NULL,
  PRIMARY KEY (installation, submission_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX submission_state_submitted ON submission_state (installation, submitted_at);

CREATE TABLE submission_totals (
  installation INTEGER PRIMARY KEY,
  first_prepared_at INTEGER NOT NULL,
  confirmed INTEGER NOT NULL,
  -- the greatest of the confirmed ones, uint256 and uint64
  cumulative_work TEXT NOT NULL,
  block_height TEXT NOT NULL
) STRICT;
`;

export interface SubmissionState {
  readonly lifecycle: string;
  /** Epoch ms, as are the others. */
  readonly preparedAt: number;
  readonly submittedAt: number;
  readonly confirmedAt: number | null;
  readonly zeroBlock: 0 | 1;
}

export interface SubmissionTotals {
  /** The earliest, epoch ms. */
  readonly firstPreparedAt: number;
  readonly confirmed: number;
  readonly cumulativeWork: bigint;
  readonly blockHeight: bigint;
}

/**
 * Takes in what has changed after a changed_seq, at most about `budget` submissions; those with one changed_seq
 * together. Returns the changed_seq that it came to and how many it took.
 */
export function followSubmissions(
  { ledger, projections }: Databases,
  installation: number,
  after: number,
  budget: number,
): { readonly changedSeq: number; readonly taken: number } {
  const sql = `SELECT * FROM submission WHERE installation = ? AND changed_seq > ? ORDER BY changed_seq`;
  let totals = readSubmissionTotals(projections, installation);
  let changedSeq = after;
  let taken = 0;
  for (const row of statement<[number, number], LedgerRow>(ledger, sql).iterate(installation, after)) {
    if (taken >= budget && row.changed_seq !== changedSeq) break;
    const newlyConfirmed = upsert(projections, installation, row) && row.lifecycle === "confirmed";
    totals = raised(totals, row, newlyConfirmed);
    changedSeq = row.changed_seq;
    taken += 1;
  }
  if (totals !== undefined && taken > 0) writeTotals(projections, installation, totals);
  return { changedSeq, taken };
}

/** Those submitted from one instant to another (epoch ms), both included. */
export function readSubmitted(
  projections: Database,
  installation: number,
  from: number,
  to: number,
): SubmissionState[] {
  const sql = `SELECT lifecycle, prepared_at AS preparedAt, submitted_at AS submittedAt, confirmed_at AS confirmedAt,
    zero_block AS zeroBlock FROM submission_state WHERE installation = ? AND submitted_at BETWEEN ? AND ?`;
  return statement<[number, number, number], SubmissionState>(projections, sql).all(installation, from, to);
}

/** Undefined where there never was a submission. */
export function readSubmissionTotals(projections: Database, installation: number): SubmissionTotals | undefined {
  const sql = "SELECT * FROM submission_totals WHERE installation = ?";
  const row = statement<[number], TotalsRow>(projections, sql).get(installation);
  return row === undefined
    ? undefined
    : {
        firstPreparedAt: row.first_prepared_at,
        confirmed: row.confirmed,
        cumulativeWork: BigInt(row.cumulative_work),
        blockHeight: BigInt(row.block_height),
      };
}

/** Whether its lifecycle is another than before. */
function upsert(projections: Database, installation: number, row: LedgerRow): boolean {
  const sql = "SELECT lifecycle FROM submission_state WHERE installation = ? AND submission_id = ?";
  const before = statement<[number, string], string>(projections, sql).pluck().get(installation, row.submission_id);
  statement(projections, "INSERT OR REPLACE INTO submission_state VALUES (?, ?, ?, ?, ?, ?, ?)").run(
    installation,
    row.submission_id,
    row.lifecycle,
    row.prepared_at,
    row.submitted_at,
    row.confirmed_at,
    row.expected_completed_block_count === "0" ? 1 : 0,
  );
  return before !== row.lifecycle;
}

function raised(totals: SubmissionTotals | undefined, row: LedgerRow, newlyConfirmed: boolean): SubmissionTotals {
  const { firstPreparedAt, confirmed, cumulativeWork, blockHeight } = totals ?? {
    firstPreparedAt: row.prepared_at,
    confirmed: 0,
    cumulativeWork: 0n,
    blockHeight: 0n,
  };
  return {
    firstPreparedAt: Math.min(firstPreparedAt, row.prepared_at),
    confirmed: confirmed + (newlyConfirmed ? 1 : 0),
    cumulativeWork: newlyConfirmed ? greater(cumulativeWork, BigInt(row.expected_cumulative_work)) : cumulativeWork,
    blockHeight: newlyConfirmed ? greater(blockHeight, BigInt(row.expected_block_height)) : blockHeight,
  };
}

function writeTotals(projections: Database, installation: number, totals: SubmissionTotals): void {
  statement(projections, "INSERT OR REPLACE INTO submission_totals VALUES (?, ?, ?, ?, ?)").run(
    installation,
    totals.firstPreparedAt,
    totals.confirmed,
    String(totals.cumulativeWork),
    String(totals.blockHeight),
  );
}

function greater(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

interface LedgerRow {
  readonly submission_id: string;
  readonly lifecycle: string;
  readonly prepared_at: number;
  readonly submitted_at: number | null;
  readonly confirmed_at: number | null;
  readonly expected_cumulative_work: string;
  readonly expected_block_height: string;
  readonly expected_completed_block_count: string;
  readonly changed_seq: number;
}

interface TotalsRow {
  readonly first_prepared_at: number;
  readonly confirmed: number;
  readonly cumulative_work: string;
  readonly block_height: string;
}
