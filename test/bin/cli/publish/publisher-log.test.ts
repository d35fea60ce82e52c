/** A publisher's log: repeated events become single summary lines. */
import { pino } from "pino";
import { expect, test } from "vitest";
import { cycleLog } from "../../../../bin/cli/publish/hold-and-publish.ts";
import { chainLog } from "../../../../bin/cli/publish/publish-on-cadence.ts";
import type { CycleReport, ReportRow } from "../../../../publish/report.ts";

const row: ReportRow = {
  key: "v1/public/telemetry",
  resource: "telemetry",
  action: "updated",
  why: "",
  status: 200,
  bytes: 1,
  etag: null,
  milliseconds: 1,
};

test("the first cycle with puts is logged at once, and later ones are summed up once a minute", () => {
  const lines: { cycles: number; put: number }[] = [];
  let now = 0;
  const log = pino({ level: "info" }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const cycled = cycleLog(log, () => now);
  for (; now <= 120_000; now += 1_000) {
    const report: CycleReport = { at: now, rows: [row, row], failures: [], warnings: [] };
    cycled(report);
  }
  expect(lines.map(({ cycles, put }) => [cycles, put])).toEqual([
    [1, 2],
    [60, 120],
    [60, 120],
  ]);
});

const DEAD = { type: "failed", node: "http://dead.test", message: "ECONNREFUSED" } as const;

function logged() {
  const lines: Record<string, unknown>[] = [];
  const clock = { now: 0 };
  const log = pino({ base: null, timestamp: false }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  return { lines, clock, report: chainLog(log, () => clock.now) };
}

test("an unreachable node is one warning, then one every ten minutes with the number of failures", () => {
  const { lines, clock, report } = logged();
  for (; clock.now <= 1_200_000; clock.now += 2_000) report(DEAD);
  expect(lines.map(({ before }) => before)).toEqual([0, 299, 299]);
  expect(lines[0]).toMatchObject({ level: 40, msg: "chain", node: DEAD.node, message: DEAD.message });
});

test("a node's recovery is one line with the length of the outage", () => {
  const { lines, clock, report } = logged();
  report(DEAD);
  clock.now = 90_000;
  report({ type: "good", node: "http://other.test", head: 7n });
  report({ type: "good", node: DEAD.node, head: 7n });
  report({ type: "good", node: DEAD.node, head: 8n });
  report(DEAD);
  expect(lines.map(({ msg }) => msg)).toEqual(["chain", "the node gives good responses again", "chain"]);
  expect(lines[1]).toMatchObject({ node: DEAD.node, afterMs: 90_000 });
});

test("a disagreeing node causes only one warning while its polls find nothing new", () => {
  const { lines, clock, report } = logged();
  const lying = { type: "disagreement", node: DEAD.node, detail: "another says otherwise" } as const;
  for (; clock.now < 600_000; clock.now += 4_000) {
    report({ type: "good", node: DEAD.node, head: 7n });
    report(lying);
  }
  expect(lines.map(({ type }) => type)).toEqual(["disagreement"]);
  report(DEAD);
  report({ type: "good", node: DEAD.node, head: 8n });
  expect(lines.map(({ msg }) => msg)).toEqual(["chain", "chain", "the node gives good responses again"]);
});
