/** If two completions or submissions have the same instant, the specification's tie-breaker decides. */
import { expect, test } from "vitest";
import type { Process } from "../../../src/resources/process/contract.ts";
import { uuid } from "./history.ts";
import { AT, build, type Case, control, READY, run, submission } from "./scenarios.ts";

const body = (it: Case) => JSON.parse(build(it).body) as Process;
const queueState = (it: Case) => {
  const { settlementQueue: queue } = body(it);
  return queue.status === "available" ? queue.state : queue.reason;
};

test("ties: the higher startedAt of two completions, the higher submissionId of two submissions", () => {
  const on = [control(), run(AT - 9_000, AT - 5_000), run(AT - 8_000, AT - 5_000), run(AT - 8_500, null)];
  expect(queueState({ ...READY, facts: on })).toBe("empty");
  expect(queueState({ ...READY, facts: [...on, run(AT - 7_999, null)] })).toBe("stale");
  const two = [submission({ submissionId: uuid(1) }), submission({ submissionId: uuid(2), lifecycle: "retrying" })];
  const { settlementQueue: queue } = body({ ...READY, facts: [...on, ...two] });
  expect(queue).toMatchObject({ state: "retrying", latestSubmission: { submissionId: uuid(2) } });
});
