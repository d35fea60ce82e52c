/** docs/spec/api.md#statistics-lifetime, oracle: what became of the submissions of the window, and how long it took. */
import type { SubmissionState, SubmissionTotals } from "../../../projections/settlements/submissions.ts";
import { formatTimestamp } from "../../../values/timestamp.ts";
import type { Statistics } from "../schema.ts";
import type { Window } from "../window.ts";
import { bps, nearestRank } from "./quotients.ts";

export function oracleOf(
  window: Window,
  totals: SubmissionTotals | undefined,
  submitted: readonly SubmissionState[],
): Statistics["oracle"] {
  if (totals === undefined) return { status: "unavailable", reason: "projection_not_initialized" };
  const completeForWindow = totals.firstPreparedAt <= window.startAt;
  if (submitted.length === 0 && !completeForWindow) return { status: "unavailable", reason: "insufficient_history" };
  const inLifecycle = (lifecycle: string) => submitted.filter((submission) => submission.lifecycle === lifecycle);
  const confirmed = inLifecycle("confirmed");
  const reverted = inLifecycle("reverted");
  const submit = Float64Array.from(submitted, ({ preparedAt, submittedAt }) => submittedAt - preparedAt).sort();
  const finality = Float64Array.from(
    confirmed.flatMap(({ submittedAt, confirmedAt }) => (confirmedAt === null ? [] : confirmedAt - submittedAt)),
  ).sort();
  return {
    status: "available",
    coverageStartsAt: formatTimestamp(totals.firstPreparedAt),
    completeForWindow,
    submissionCount: submitted.length,
    confirmedCount: confirmed.length,
    revertedCount: reverted.length,
    supersededCount: inLifecycle("superseded").length,
    zeroBlockSubmissionCount: submitted.filter(({ zeroBlock }) => zeroBlock === 1).length,
    confirmationRateBps: bps(confirmed.length, submitted.length),
    revertRateBps: bps(reverted.length, submitted.length),
    submitP50Ms: nearestRank(submit, 50),
    submitP90Ms: nearestRank(submit, 90),
    finalityP50Ms: nearestRank(finality, 50),
    finalityP90Ms: nearestRank(finality, 90),
  };
}
