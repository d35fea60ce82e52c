/** Reads the current state of settlement submissions (docs/spec/intake.md#submission). Instants are epoch ms. */
import { type ReadOnlyDatabase, readRow, type Stored, withBigints } from "../../sqlite/statement.ts";

type ActiveLifecycle = "preparing" | "submitted" | "retrying";
export type Lifecycle = ActiveLifecycle | "confirmed" | "reverted" | "superseded";

export interface Submission {
  readonly submissionId: string;
  readonly lifecycle: Lifecycle;
  readonly previousSettledThroughRound: bigint;
  readonly settledThroughRound: bigint;
  readonly activeRoundCount: number;
  readonly expected: {
    readonly cumulativeWork: bigint;
    readonly blockHeight: bigint;
    readonly currentWork: bigint;
    readonly completedBlockCount: bigint;
  };
  readonly transactionHash: string | null;
  readonly preparedAt: number;
  readonly submittedAt: number | null;
  readonly terminalAt: number | null;
  readonly confirmedAt: number | null;
  readonly outcomeCode: "reverted" | "superseded" | null;
}

type Row = Omit<Submission, "expected"> & Submission["expected"];

const COLUMNS = `submission_id AS submissionId, lifecycle,
  previous_settled_through_round AS previousSettledThroughRound, settled_through_round AS settledThroughRound,
  active_round_count AS activeRoundCount, expected_cumulative_work AS cumulativeWork,
  expected_block_height AS blockHeight, expected_current_work AS currentWork,
  expected_completed_block_count AS completedBlockCount, transaction_hash AS transactionHash,
  prepared_at AS preparedAt, submitted_at AS submittedAt, terminal_at AS terminalAt, confirmed_at AS confirmedAt,
  outcome_code AS outcomeCode`;

/** Returns the latest submission by preparedAt; ties go to the higher submissionId (docs/spec/api.md#process-queue). */
export function readLatestSubmission(ledger: ReadOnlyDatabase, installation: number): Submission | undefined {
  return newest(ledger, installation, "");
}

/** Returns the latest submission that is preparing, submitted or retrying. */
export function readActiveSubmission(ledger: ReadOnlyDatabase, installation: number): Submission | undefined {
  // The condition repeats that of the index submission_active, so that SQLite uses the index.
  return newest(ledger, installation, "AND lifecycle IN ('preparing', 'submitted', 'retrying')");
}

function newest(ledger: ReadOnlyDatabase, installation: number, condition: string): Submission | undefined {
  const sql = `SELECT ${COLUMNS} FROM submission WHERE installation = ? ${condition}
    ORDER BY prepared_at DESC, submission_id DESC LIMIT 1`;
  const row = readRow<Stored<Row>>(ledger, sql, installation);
  if (row === undefined) return undefined;
  const { cumulativeWork, blockHeight, currentWork, completedBlockCount, ...rest } = withBigints<Row>(
    row,
    "previousSettledThroughRound",
    "settledThroughRound",
    "cumulativeWork",
    "blockHeight",
    "currentWork",
    "completedBlockCount",
  );
  return { ...rest, expected: { cumulativeWork, blockHeight, currentWork, completedBlockCount } };
}
