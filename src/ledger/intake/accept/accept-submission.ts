/**
 * Accepts settlement submissions (docs/spec/intake.md#submission): each record updates its submission until a terminal
 * lifecycle, which never changes. The ledger keeps every accepted record, so an equal one is a duplicate.
 */
import { readRow, run } from "../../../sqlite/statement.ts";
import { compareDecimals } from "../../../values/decimal.ts";
import { MAX_ACTIVE_ROUNDS } from "../../../values/settlement-limits.ts";
import { conflict, type Fault, fault, type IntakeOutcome } from "../fault.ts";
import type { RecordOf } from "../record-types.ts";
import type { Installation } from "./installation.ts";

export function acceptSubmission(installation: Installation, submission: RecordOf<"submission">): IntakeOutcome {
  const { db } = installation;
  const { submissionId } = submission;
  const columns = columnsOf(submission);
  const record = JSON.stringify(Object.values(columns));
  const current = readRow<Current>(db, CURRENT, installation.rowId, submissionId);
  if (current !== undefined) {
    if (readRow(db, REMEMBERED, installation.rowId, submissionId, record) !== undefined) return "duplicate";
    const isOther = PLAN.some((column) => columns[column] !== current[column]);
    if (isTerminal(current.lifecycle) && !isOther) {
      return fault("submission_terminal", "lifecycle", `the submission is ${current.lifecycle} and never changes`);
    }
    const invalid = submissionFault(submission, current.lifecycle);
    if (invalid !== undefined) return invalid;
    if (isOther) return conflict("submissionId", "the submission has another frontier, expected result or preparedAt");
  } else {
    const invalid = submissionFault(submission, undefined);
    if (invalid !== undefined) return invalid;
  }
  const rowId = installation.ensureRow();
  const changedSeq = installation.watermarks.submission + 1;
  run(db, REPLACE, rowId, submissionId, ...Object.values(columns), changedSeq);
  run(db, "INSERT INTO submission_record VALUES (?, ?, ?)", rowId, submissionId, record);
  return "accepted";
}

/** Returns the columns after the key, in table order. */
function columnsOf({ expected, ...submission }: Submission) {
  return {
    lifecycle: submission.lifecycle,
    previous_settled_through_round: submission.previousSettledThroughRound,
    settled_through_round: submission.settledThroughRound,
    active_round_count: submission.activeRoundCount,
    expected_cumulative_work: expected.cumulativeWork,
    expected_block_height: expected.blockHeight,
    expected_current_work: expected.currentWork,
    expected_completed_block_count: expected.completedBlockCount,
    transaction_hash: submission.transactionHash,
    prepared_at: submission.preparedAt,
    submitted_at: submission.submittedAt,
    terminal_at: submission.terminalAt,
    confirmed_at: submission.confirmedAt,
    outcome_code: submission.outcomeCode,
  };
}

/** The columns that never change. */
const PLAN = [
  "previous_settled_through_round",
  "settled_through_round",
  "expected_cumulative_work",
  "expected_block_height",
  "expected_current_work",
  "expected_completed_block_count",
  "prepared_at",
] as const;

type Current = Pick<ReturnType<typeof columnsOf>, "lifecycle" | (typeof PLAN)[number]>;

const CURRENT = `SELECT lifecycle, ${PLAN.join(", ")} FROM submission WHERE installation = ? AND submission_id = ?`;

const REMEMBERED = "SELECT 1 FROM submission_record WHERE installation = ? AND submission_id = ? AND record = ?";

const REPLACE = `
INSERT OR REPLACE INTO submission VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

// Rules for one submission record (docs/spec/intake.md#submission).

export type Submission = Omit<RecordOf<"submission">, "type">;
type Lifecycle = Submission["lifecycle"];

function isTerminal(lifecycle: Lifecycle): boolean {
  return lifecycle === "confirmed" || lifecycle === "reverted" || lifecycle === "superseded";
}

/** Returns the first broken rule as `submission_invalid`. `before` is the stored lifecycle of a known submission. */
export function submissionFault(submission: Submission, before: Lifecycle | undefined): Fault | undefined {
  for (const [field, rule, holds] of RULES) {
    if (!holds(submission, before)) return fault("submission_invalid", field, rule);
  }
  return undefined;
}

type Rule = readonly [
  field: string,
  sentence: string,
  holds: (s: Submission, before: Lifecycle | undefined) => boolean,
];

const RULES: readonly Rule[] = [
  [
    "lifecycle",
    "a submission never moves back to preparing",
    (s, before) => s.lifecycle !== "preparing" || before === undefined || before === "preparing",
  ],
  [
    "settledThroughRound",
    "settledThroughRound is above previousSettledThroughRound",
    (s) => compareDecimals(s.settledThroughRound, s.previousSettledThroughRound) > 0,
  ],
  [
    "activeRoundCount",
    `activeRoundCount is at most ${MAX_ACTIVE_ROUNDS}`,
    (s) => s.activeRoundCount <= MAX_ACTIVE_ROUNDS,
  ],
  [
    "activeRoundCount",
    "activeRoundCount is at most settledThroughRound - previousSettledThroughRound",
    (s) => BigInt(s.activeRoundCount) <= BigInt(s.settledThroughRound) - BigInt(s.previousSettledThroughRound),
  ],
  ["submittedAt", "submittedAt is null in preparing", (s) => s.lifecycle !== "preparing" || s.submittedAt === null],
  [
    "submittedAt",
    "submittedAt is set in submitted, confirmed and reverted",
    (s) => !["submitted", "confirmed", "reverted"].includes(s.lifecycle) || s.submittedAt !== null,
  ],
  [
    "terminalAt",
    "terminalAt is set in confirmed, reverted and superseded, and null elsewhere",
    (s) => isTerminal(s.lifecycle) === (s.terminalAt !== null),
  ],
  [
    "confirmedAt",
    "confirmedAt is set in confirmed, and null elsewhere",
    (s) => (s.lifecycle === "confirmed") === (s.confirmedAt !== null),
  ],
  [
    "outcomeCode",
    "outcomeCode is the word reverted or superseded in that lifecycle, and null elsewhere",
    (s) => s.outcomeCode === (s.lifecycle === "reverted" || s.lifecycle === "superseded" ? s.lifecycle : null),
  ],
  inOrder("preparedAt", "submittedAt"),
  inOrder("preparedAt", "confirmedAt"),
  inOrder("preparedAt", "terminalAt"),
  inOrder("submittedAt", "confirmedAt"),
  inOrder("submittedAt", "terminalAt"),
  inOrder("confirmedAt", "terminalAt"),
];

type Instant = "preparedAt" | "submittedAt" | "confirmedAt" | "terminalAt";

/** Returns a rule that compares two instants if both are set. */
function inOrder(earlier: Instant, later: Instant): Rule {
  const holds = (s: Submission) => {
    const [a, b] = [s[earlier], s[later]];
    return a === null || b === null || a <= b;
  };
  return [later, `${later} is not before ${earlier}`, holds];
}
