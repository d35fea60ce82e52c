/** Rules over many routes: each route on its own, and none is lost because another does not answer. */
import { Unanswered } from "../../judge/exchange.ts";
import type { Subject } from "../../judge/report.ts";
import { family } from "../../judge/rule.ts";
import type { Run } from "../run.ts";

export const EXCHANGE = family("exchange", {
  completes: [
    "every request is answered, whole and in time",
    "see why the front or its origin closes, stalls or cuts off; --timeout gives it longer",
    "docs/spec/api.md#http",
  ],
  judged: [
    "what comes back can be judged",
    "look at the body; if it is right, report this as a defect of Noonmark",
    "docs/spec/api.md#http",
  ],
});

/** Runs a group of checks; a request that is not answered ends the group with a finding. */
export async function guarded(run: Run, subject: Subject, checks: () => Promise<void>): Promise<void> {
  try {
    await checks();
    run.check(EXCHANGE.completes, subject, true, () => ({ expected: "", saw: "" }));
  } catch (error) {
    if (error instanceof Unanswered) {
      run.check(EXCHANGE.completes, subject, false, () => ({ expected: "an answer", saw: error.message }));
    } else {
      // Earlier findings stay: a deployment may answer with something that no rule foresees.
      run.check(EXCHANGE.judged, subject, false, () => ({ expected: "what a rule can judge", saw: String(error) }));
    }
  }
}

/** Side by side; the pace is held elsewhere. */
export async function each<T>(
  run: Run,
  items: readonly T[],
  { of, checks }: { of(item: T): Subject; checks(item: T): Promise<void> },
): Promise<void> {
  await Promise.all(items.map((item) => guarded(run, of(item), () => checks(item))));
}
