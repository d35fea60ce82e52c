/** The state of each settlement submission, ordered by its submission, and the sums of the confirmed ones. */
import type { Database } from "better-sqlite3";
import type { ChangedSubmission } from "../../ledger/logs.ts";
import { type ReadOnlyDatabase, statement } from "../../sqlite/statement.ts";
import type { Follower } from "../follow.ts";

export const SUBMISSION_TABLES = `
CREATE TABLE submission_state (
  submission_id TEXT PRIMARY KEY,
  lifecycle TEXT NOT NULL,
  prepared_at INTEGER NOT NULL,
  submitted_at INTEGER,
  confirmed_at INTEGER,
  -- whether it completes no block
  zero_block INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX submission_state_submitted ON submission_state (submitted_at);

CREATE TABLE submission_totals (
  id INTEGER PRIMARY KEY CHECK (id = 1),
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

export const SUBMISSIONS = "submissions";

export function submissionFollower(installationId: string): Follower<ChangedSubmission> {
  return {
    name: SUBMISSIONS,
    version: `1 ${installationId}`,
    cost: 10,
    apply(projections, submissions) {
      let totals = readSubmissionTotals(projections);
      for (const submission of submissions) {
        const hasMoved = upsert(projections, submission);
        totals = raised(totals, submission, hasMoved && submission.lifecycle === "confirmed");
      }
      if (totals !== undefined) writeTotals(projections, totals);
    },
    rewind(projections, to) {
      projections.exec("DELETE FROM submission_state; DELETE FROM submission_totals");
      return to.at;
    },
  };
}

/** Those submitted from one instant to another (epoch ms), both included. */
export function readSubmitted(projections: ReadOnlyDatabase, from: number, to: number): SubmissionState[] {
  const sql = `SELECT lifecycle, prepared_at AS preparedAt, submitted_at AS submittedAt, confirmed_at AS confirmedAt,
    zero_block AS zeroBlock FROM submission_state WHERE submitted_at BETWEEN ? AND ?`;
  return statement<[number, number], SubmissionState>(projections, sql).all(from, to);
}

/** Undefined if there never was a submission. */
export function readSubmissionTotals(projections: ReadOnlyDatabase): SubmissionTotals | undefined {
  const sql = "SELECT * FROM submission_totals";
  const row = statement<[], TotalsRow>(projections, sql).get();
  return row === undefined
    ? undefined
    : {
        firstPreparedAt: row.first_prepared_at,
        confirmed: row.confirmed,
        cumulativeWork: BigInt(row.cumulative_work),
        blockHeight: BigInt(row.block_height),
      };
}

/** True if its lifecycle is another than before. */
function upsert(projections: Database, submission: ChangedSubmission): boolean {
  const sql = "SELECT lifecycle FROM submission_state WHERE submission_id = ?";
  const before = statement<[string], string>(projections, sql).pluck().get(submission.submissionId);
  statement(projections, "INSERT OR REPLACE INTO submission_state VALUES (?, ?, ?, ?, ?, ?)").run(
    submission.submissionId,
    submission.lifecycle,
    submission.preparedAt,
    submission.submittedAt,
    submission.confirmedAt,
    submission.expectedCompletedBlockCount === "0" ? 1 : 0,
  );
  return before !== submission.lifecycle;
}

function raised(
  totals: SubmissionTotals | undefined,
  submission: ChangedSubmission,
  newlyConfirmed: boolean,
): SubmissionTotals {
  const { firstPreparedAt, confirmed, cumulativeWork, blockHeight } = totals ?? {
    firstPreparedAt: submission.preparedAt,
    confirmed: 0,
    cumulativeWork: 0n,
    blockHeight: 0n,
  };
  return {
    firstPreparedAt: Math.min(firstPreparedAt, submission.preparedAt),
    confirmed: confirmed + (newlyConfirmed ? 1 : 0),
    cumulativeWork: newlyConfirmed
      ? greater(cumulativeWork, BigInt(submission.expectedCumulativeWork))
      : cumulativeWork,
    blockHeight: newlyConfirmed ? greater(blockHeight, BigInt(submission.expectedBlockHeight)) : blockHeight,
  };
}

function writeTotals(projections: Database, totals: SubmissionTotals): void {
  statement(projections, "INSERT OR REPLACE INTO submission_totals VALUES (1, ?, ?, ?, ?)").run(
    totals.firstPreparedAt,
    totals.confirmed,
    String(totals.cumulativeWork),
    String(totals.blockHeight),
  );
}

function greater(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

interface TotalsRow {
  readonly first_prepared_at: number;
  readonly confirmed: number;
  readonly cumulative_work: string;
  readonly block_height: string;
}
