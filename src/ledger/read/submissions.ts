/**
 * Typed reads of settlement submissions (docs/spec/intake.md#submission): the current state of each. Instants are epoch ms.
 */
import { type ReadOnlyDatabase, statement } from "../../sqlite/statement.ts";

export type ActiveLifecycle = "preparing" | "submitted" | "retrying";
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

type Row = Omit<Submission, "expected" | "previousSettledThroughRound" | "settledThroughRound"> & {
  readonly previousSettledThroughRound: string;
  readonly settledThroughRound: string;
  readonly cumulativeWork: string;
  readonly blockHeight: string;
  readonly currentWork: string;
  readonly completedBlockCount: string;
};

const COLUMNS = `submission_id AS submissionId, lifecycle,
  previous_settled_through_round AS previousSettledThroughRound, settled_through_round AS settledThroughRound,
  active_round_count AS activeRoundCount, expected_cumulative_work AS cumulativeWork,
  expected_block_height AS blockHeight, expected_current_work AS currentWork,
  expected_completed_block_count AS completedBlockCount, transaction_hash AS transactionHash,
  prepared_at AS preparedAt, submitted_at AS submittedAt, terminal_at AS terminalAt, confirmed_at AS confirmedAt,
  outcome_code AS outcomeCode`;
const NEWEST = "ORDER BY prepared_at DESC, submission_id DESC LIMIT 1";

/** The submission with the highest preparedAt, ties to the higher submissionId (docs/spec/api.md#process-queue). */
export function readLatestSubmission(ledger: ReadOnlyDatabase, installation: number): Submission | undefined {
  const sql = `SELECT ${COLUMNS} FROM submission WHERE installation = ? ${NEWEST}`;
  return submissionOf(statement<[number], Row>(ledger, sql).get(installation));
}

/** The same among those in preparing, submitted or retrying. */
export function readActiveSubmission(ledger: ReadOnlyDatabase, installation: number): Submission | undefined {
  // The condition's words are those of the index submission_active: SQLite then sees that it serves.
  const sql = `SELECT ${COLUMNS} FROM submission
    WHERE installation = ? AND lifecycle IN ('preparing', 'submitted', 'retrying') ${NEWEST}`;
  return submissionOf(statement<[number], Row>(ledger, sql).get(installation));
}

/** The confirmed one with the highest preparedAt. */
export function readLatestConfirmed(ledger: ReadOnlyDatabase, installation: number): Submission | undefined {
  const sql = `SELECT ${COLUMNS} FROM submission WHERE installation = ? AND lifecycle = 'confirmed' ${NEWEST}`;
  return submissionOf(statement<[number], Row>(ledger, sql).get(installation));
}

function submissionOf(row: Row | undefined): Submission | undefined {
  if (row === undefined) return undefined;
  const { cumulativeWork, blockHeight, currentWork, completedBlockCount, ...rest } = row;
  return {
    ...rest,
    previousSettledThroughRound: BigInt(row.previousSettledThroughRound),
    settledThroughRound: BigInt(row.settledThroughRound),
    expected: {
      cumulativeWork: BigInt(cumulativeWork),
      blockHeight: BigInt(blockHeight),
      currentWork: BigInt(currentWork),
      completedBlockCount: BigInt(completedBlockCount),
    },
  };
}
