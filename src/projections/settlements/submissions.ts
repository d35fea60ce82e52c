/** Stores the state of each settlement submission, and the sums of the confirmed ones. */
import type { Database } from "better-sqlite3";
import type { ChangedSubmission } from "../../ledger/sources.ts";
import { type ReadOnlyDatabase, readRows, run } from "../../sqlite/statement.ts";
import { type Follower, forgetTotals, readTotals, writeTotals } from "../follow.ts";

export const SUBMISSION_TABLES = `
CREATE TABLE submission_state (
  submission_id TEXT PRIMARY KEY,
  lifecycle TEXT NOT NULL,
  prepared_at INTEGER NOT NULL,
  submitted_at INTEGER,
  confirmed_at INTEGER,
  -- 1 if the submission completes no block
  zero_block INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX submission_state_submitted ON submission_state (submitted_at);
`;

export interface SubmissionState {
  readonly lifecycle: string;
  /** All instants are epoch ms. */
  readonly preparedAt: number;
  readonly submittedAt: number;
  readonly confirmedAt: number | null;
  readonly zeroBlock: 0 | 1;
}

export interface SubmissionTotals {
  /** The earliest preparedAt, epoch ms. */
  firstPreparedAt: number;
  confirmed: number;
  /** cumulativeWork and blockHeight are the greatest of the confirmed submissions. */
  cumulativeWork: bigint;
  blockHeight: bigint;
}

const EMPTY: SubmissionTotals = {
  firstPreparedAt: Number.POSITIVE_INFINITY,
  confirmed: 0,
  cumulativeWork: 0n,
  blockHeight: 0n,
};

export const SUBMISSIONS = "submissions";

export function submissionFollower(installationId: string): Follower<ChangedSubmission> {
  return {
    name: SUBMISSIONS,
    version: `1 ${installationId}`,
    cost: 10,
    apply(projections, submissions) {
      const totals = readTotals(projections, SUBMISSIONS, EMPTY);
      for (const submission of submissions) {
        store(projections, submission);
        totals.firstPreparedAt = Math.min(totals.firstPreparedAt, submission.preparedAt);
        // A confirmed submission never changes, so the source returns it in this lifecycle only once.
        if (submission.lifecycle !== "confirmed") continue;
        totals.confirmed += 1;
        totals.cumulativeWork = greater(totals.cumulativeWork, BigInt(submission.expectedCumulativeWork));
        totals.blockHeight = greater(totals.blockHeight, BigInt(submission.expectedBlockHeight));
      }
      if (submissions.length > 0) writeTotals(projections, SUBMISSIONS, totals);
    },
    rewind(projections, to) {
      projections.exec("DELETE FROM submission_state");
      forgetTotals(projections, SUBMISSIONS);
      return to.at;
    },
  };
}

/** Returns the submissions submitted between two instants (epoch ms), both included. */
export function readSubmitted(projections: ReadOnlyDatabase, from: number, to: number): SubmissionState[] {
  const sql = `SELECT lifecycle, prepared_at AS preparedAt, submitted_at AS submittedAt, confirmed_at AS confirmedAt,
    zero_block AS zeroBlock FROM submission_state WHERE submitted_at BETWEEN ? AND ?`;
  return readRows<SubmissionState>(projections, sql, from, to);
}

/** Returns undefined if there was never a submission. */
export function readSubmissionTotals(projections: ReadOnlyDatabase): SubmissionTotals | undefined {
  const totals = readTotals(projections, SUBMISSIONS, EMPTY);
  return Number.isFinite(totals.firstPreparedAt) ? totals : undefined;
}

function store(projections: Database, submission: ChangedSubmission): void {
  run(
    projections,
    "INSERT OR REPLACE INTO submission_state VALUES (?, ?, ?, ?, ?, ?)",
    submission.submissionId,
    submission.lifecycle,
    submission.preparedAt,
    submission.submittedAt,
    submission.confirmedAt,
    submission.expectedCompletedBlockCount === "0" ? 1 : 0,
  );
}

function greater(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
