/** What a submission's record must say in itself (docs/spec/intake.md#submission). */
import { compareDecimals } from "../../../values/decimal.ts";
import { MAX_ACTIVE_ROUNDS } from "../../../values/settlement-limits.ts";
import type { RecordOf } from "../decode/records.ts";
import { Fault } from "../fault.ts";

export type Submission = Omit<RecordOf<"submission">, "type">;
type Lifecycle = Submission["lifecycle"];

export function isTerminal(lifecycle: Lifecycle): boolean {
  return lifecycle === "confirmed" || lifecycle === "reverted" || lifecycle === "superseded";
}

/** The first rule that a record breaks, as `submission_invalid`; `before` is the submission's lifecycle so far, if it has one. */
export function submissionFault(submission: Submission, before: Lifecycle | undefined): Fault | undefined {
  for (const [field, rule, holds] of RULES) {
    if (!holds(submission, before)) return new Fault("submission_invalid", field, rule);
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

/** As far as both are set. */
function inOrder(earlier: Instant, later: Instant): Rule {
  const holds = (s: Submission) => {
    const [a, b] = [s[earlier], s[later]];
    return a === null || b === null || a <= b;
  };
  return [later, `${later} is not before ${earlier}`, holds];
}
