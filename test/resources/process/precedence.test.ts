/** Every condition at once, then lifted one after the other: the first that holds is the one given. */
import { expect, test } from "vitest";
import type { Process } from "../../../src/resources/process/contract.ts";
import { uuid } from "./history.ts";
import { AT, build, type Case, closure, control, EPOCH, READY, receipt, round, run, submission } from "./scenarios.ts";

const body = (it: Case) => JSON.parse(build(it).body) as Process;
const builderReason = (it: Case) => {
  const { builder } = body(it);
  return builder.status === "available" ? "available" : builder.reason;
};
const queueState = (it: Case) => {
  const { settlementQueue: queue } = body(it);
  return queue.status === "available" ? queue.state : queue.reason;
};

test("builder: no_measurement, counter_fault, counter_epoch_unapproved, oracle_head_unavailable, round_projection_gap", () => {
  const gap = [round(6n, 1n)];
  const it: Case = { ...READY, core: undefined, facts: gap };
  expect(builderReason(it)).toBe("no_measurement");
  const faulty = [...gap, receipt(AT - 9_000, 1n, { coreStatus: "COUNTER_FAULT" })];
  expect(builderReason({ ...it, facts: faulty })).toBe("counter_fault");
  const running = [...gap, receipt(AT - 9_000, 1n)];
  expect(builderReason({ ...it, facts: running })).toBe("counter_epoch_unapproved");
  const approved = [...running, { type: "epoch", counterEpoch: EPOCH } as const];
  expect(builderReason({ ...it, facts: approved })).toBe("oracle_head_unavailable");
  expect(builderReason({ ...READY, facts: approved })).toBe("round_projection_gap");
  expect(builderReason({ ...READY, facts: [...approved, round(5n, 1n)] })).toBe("available");
});

test("an old measurement alone does not disable the builder", () => {
  expect(builderReason({ ...READY, at: AT + 10 ** 9 })).toBe("available");
});

test("queue: oracle_head_unavailable, round_projection_gap, round_ineligible, then the states", () => {
  const facts = [round(6n, 1n), round(7n, 1n, false), closure(6n, 7n)];
  expect(queueState({ ...READY, core: undefined, facts })).toBe("oracle_head_unavailable");
  expect(queueState({ ...READY, facts })).toBe("round_projection_gap");
  const filled = [...facts, round(5n, 1n)];
  expect(queueState({ ...READY, facts: filled })).toBe("round_projection_gap");
  expect(queueState({ ...READY, facts: [...filled, closure(5n, 5n)] })).toBe("round_ineligible");
});

test("queue states: blocked, disabled, stale, the active submission's, ready, empty", () => {
  const held = control({ blockedReason: "hold", settlementEnabled: false, at: 2 });
  const rounds = [round(5n, 0n), closure(5n, 5n)];
  const unfinished = [run(AT - 30_000), run(AT - 9_000, null)];
  const active = submission({ lifecycle: "retrying" });
  const state = (...facts: Case["facts"]) => queueState({ ...READY, facts });
  expect(state(...rounds, active, held)).toBe("blocked");
  expect(state(...rounds, active)).toBe("disabled");
  expect(state(...rounds, active, control())).toBe("stale");
  expect(state(...rounds, active, control(), ...unfinished)).toBe("stale");
  expect(state(...rounds, active, control(), run(AT - 602_001, AT - 600_001))).toBe("stale");
  const on = [control(), run(AT - 602_000, AT - 600_000)];
  expect(state(...rounds, active, ...on)).toBe("retrying");
  expect(state(...rounds, ...on)).toBe("ready");
  expect(state(...on)).toBe("empty");
});

test("ties: the higher startedAt of two completions, the higher submissionId of two submissions", () => {
  const on = [control(), run(AT - 9_000, AT - 5_000), run(AT - 8_000, AT - 5_000), run(AT - 8_500, null)];
  expect(queueState({ ...READY, facts: on })).toBe("empty");
  expect(queueState({ ...READY, facts: [...on, run(AT - 7_999, null)] })).toBe("stale");
  const two = [submission({ submissionId: uuid(1) }), submission({ submissionId: uuid(2), lifecycle: "retrying" })];
  const { settlementQueue: queue } = body({ ...READY, facts: [...on, ...two] });
  expect(queue).toMatchObject({ state: "retrying", latestSubmission: { submissionId: uuid(2) } });
});

test("an older active submission decides the state while a newer terminal one is the latest", () => {
  const newer = {
    submissionId: uuid(9),
    lifecycle: "reverted",
    preparedAt: AT - 20_000,
    submittedAt: AT - 19_000,
  } as const;
  const facts = [
    control(),
    run(AT - 9_000),
    submission(),
    submission({ ...newer, terminalAt: AT, outcomeCode: "reverted" }),
  ];
  expect(body({ ...READY, facts }).settlementQueue).toMatchObject({
    state: "submitted",
    latestSubmission: { submissionId: uuid(9), lifecycle: "reverted" },
  });
});
