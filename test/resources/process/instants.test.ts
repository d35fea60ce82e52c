/**
 * The three instants at which the snapshot changes by time only (docs/spec/publishing.md#future).
 */
import { expect, test } from "vitest";
import { futureOf } from "../../../publish/plan/successors.ts";
import { applyEdits } from "../../../src/http/successor.ts";
import type { Process } from "../../../src/resources/process/contract.ts";
import { AT, build, type Case, control, READY, receipt, run, withFacts } from "./scenarios.ts";

const bodyAt = (it: Case, at: number) => JSON.parse(build({ ...it, at }).body) as Process;
const queueState = (body: Process) =>
  body.settlementQueue.status === "available" ? body.settlementQueue.state : body.settlementQueue.reason;

test("the measurement is online up to exactly 120 s after its receipt, then stale", () => {
  const receivedAt = AT - 50_000 + 250;
  expect(bodyAt(READY, receivedAt + 120_000).measurement?.freshness).toBe("online");
  expect(bodyAt(READY, receivedAt + 120_001).measurement?.freshness).toBe("stale");
});

test("the Reporter is stale 600 s after its last completion", () => {
  const finishedAt = AT - 28_000;
  expect(queueState(bodyAt(READY, finishedAt + 600_000))).toBe("ready");
  expect(queueState(bodyAt(READY, finishedAt + 600_001))).toBe("stale");
});

test("the Oracle is stale 1,200 s after its latest acceptance", () => {
  const latestAcceptedAt = AT - 60_000;
  expect(bodyAt(READY, latestAcceptedAt + 1_200_000).oracle.state).toBe("accepted");
  expect(bodyAt(READY, latestAcceptedAt + 1_200_001).oracle.state).toBe("stale");
});

test("the three successors follow each other, and the last one has none", () => {
  const { successors } = futureOf((at) => build({ ...READY, at }), AT);
  expect(successors.map(({ from }) => from)).toEqual([
    AT - 50_000 + 250 + 120_001,
    AT - 28_000 + 600_001,
    AT - 60_000 + 1_200_001,
  ]);
});

test("a blocked, disabled or unfinished queue has no change at 600 s", () => {
  for (const it of [
    withFacts(control({ blockedReason: "hold", at: 2 })),
    withFacts(control({ settlementEnabled: false, at: 2 })),
    withFacts(run(AT - 1_000, null)),
  ]) {
    const { successors } = futureOf((at) => build({ ...it, at }), AT);
    expect(successors.map(({ from }) => from)).toEqual([AT - 50_000 + 250 + 120_001, AT - 60_000 + 1_200_001]);
  }
  const blocked = withFacts({ type: "oracle", blockedReason: "signature_mismatch", at: 1 });
  expect(futureOf((at) => build({ ...blocked, at }), AT).successors).toHaveLength(2);
});

test("there is no change after the year 9999", () => {
  const last = 253_402_300_799_999;
  const { successors } = futureOf((at) => build({ ...withFacts(receipt(last, 7_300n, { receivedAt: last })), at }), AT);
  expect(successors.map(({ from }) => from)).toEqual([AT - 28_000 + 600_001, AT - 60_000 + 1_200_001]);
});

test("a fact from more than a minute ahead of the clock is stale, and stays stale", () => {
  const later = (ms: number) => AT + ms;
  const receiptAt = (ms: number) => withFacts(receipt(later(ms), 7_300n, { receivedAt: later(ms) }));
  expect(bodyAt(receiptAt(60_000), AT).measurement?.freshness).toBe("online");
  expect(bodyAt(receiptAt(60_001), AT).measurement?.freshness).toBe("stale");
  const { successors } = futureOf((at) => build({ ...receiptAt(3_600_000), at }), AT);
  expect(successors.map(({ from }) => from)).toEqual([AT - 28_000 + 600_001, AT - 60_000 + 1_200_001]);

  // Another successor occurs in the minutes in which this receipt would count as fresh.
  const between = withFacts(receipt(later(600_000 - 28_000), 7_300n, { receivedAt: later(600_000 - 28_000) }));
  const bodies = futureOf((at) => build({ ...between, at }), AT);
  expect(bodies.successors).toHaveLength(2);
  for (const successor of bodies.successors) {
    const body = applyEdits(Buffer.from(bodies.built.body), successor.edits ?? []);
    expect(new TextDecoder().decode(body)).toContain('"freshness":"stale"');
  }

  const completed = (ms: number) => withFacts(run(later(ms) - 1_000, later(ms)));
  expect(queueState(bodyAt(completed(60_000), AT))).toBe("ready");
  expect(queueState(bodyAt(completed(60_001), AT))).toBe("stale");
});
