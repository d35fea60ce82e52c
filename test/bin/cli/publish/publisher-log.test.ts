/** A publisher's log: repeated events become single summary lines. */
import { pino } from "pino";
import { expect, test } from "vitest";
import { chainLog, cycleLog, failureLog, publisherOutages } from "../../../../bin/cli/publish/publisher-log.ts";
import type { CycleReport, ReportRow } from "../../../../publish/report.ts";
import { Failure } from "../../../../src/values/failure.ts";

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

const DEAD = { kind: "failed", node: "http://dead.test", message: "ECONNREFUSED" } as const;

function logged() {
  const lines: Record<string, unknown>[] = [];
  const clock = { now: 0 };
  const log = pino({ base: null, timestamp: false }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  return { lines, clock, report: chainLog(log, () => clock.now) };
}

test("an unreachable node is one warning, then one every ten minutes with the number of failures", () => {
  const { lines, clock, report } = logged();
  for (; clock.now <= 1_200_000; clock.now += 2_000) report(DEAD);
  expect(lines.map(({ failures }) => failures)).toEqual([1, 300, 300]);
  expect(lines[0]).toMatchObject({
    level: 40,
    code: "indexer_unavailable",
    node: DEAD.node,
    msg: `${DEAD.node}: ECONNREFUSED`,
    hint: expect.stringContaining("Check rpcUrl"),
  });
});

function failures() {
  const lines: { time?: number; msg: string; failures?: number; code?: string }[] = [];
  const clock = { now: 0 };
  const write = (line: string) => void lines.push(JSON.parse(line));
  const log = pino({ base: null, timestamp: () => `,"time":${clock.now}` }, { write });
  const monotonic = () => clock.now;
  const outage = publisherOutages(log, monotonic);
  return { lines, clock, outage, report: failureLog({ log, outage, monotonic }) };
}

const ROWS: CycleReport = { at: 0, rows: [row], failures: [], warnings: [] };
const DOWN = { ...row, action: "failed", why: "connect ECONNREFUSED", code: "store_unavailable" } as const;

test("an outage of the store is over after the put and the renewal that failed have succeeded", () => {
  const { lines, clock, outage, report } = failures();
  report({ ...ROWS, rows: [DOWN, DOWN, row] });
  outage.failed(new Error("connect ECONNREFUSED"), "renewal");
  outage.succeeded("scrub");
  clock.now = 11_000;
  report({ ...ROWS, rows: [DOWN] });
  outage.succeeded("renewal");
  expect(lines.map(({ time, msg }) => [time, msg])).toEqual([
    [0, "the store does not respond: publish tries it again"],
  ]);
  expect(lines[0]).toMatchObject({ code: "store_unavailable", hint: expect.stringContaining("--store") });
  clock.now = 48_000;
  report(ROWS);
  expect(lines.slice(1)).toMatchObject([{ time: 48_000, afterMs: 48_000, msg: "the store responds again" }]);
});

test("a full disk is not over when the lease could be renewed, but when the put that failed has succeeded", () => {
  const { lines, outage, report } = failures();
  const full = { ...DOWN, why: "no space is left", code: "disk_full" };
  report({ ...ROWS, rows: [full] });
  outage.succeeded("renewal");
  report({ ...ROWS, rows: [full] });
  report(ROWS);
  expect(lines.map(({ msg }) => msg)).toEqual([
    "a disk is full: publish tries it again",
    "everything that the full disk refused is written",
  ]);
});

test("a refused ledger and an object that cannot be published are reported every ten minutes, and at their end", () => {
  const { lines, clock, report } = failures();
  const behind = new Failure("ledger_behind", "the ledger is behind");
  const invalid = { ...row, action: "failed", why: "invalid_body: items: too many" } as const;
  for (; clock.now <= 600_000; clock.now += 5_000) report({ ...ROWS, rows: [invalid], failures: [behind] });
  report(ROWS);
  expect(lines.map(({ time, msg, failures }) => [time, msg, failures])).toEqual([
    [0, "objects are not published: invalid_body: items: too many", 1],
    [0, "not published: the ledger is behind", 1],
    [600_000, "objects are not published: invalid_body: items: too many", 120],
    [600_000, "not published: the ledger is behind", 120],
    [605_000, "every object is published again", undefined],
    [605_000, "ledger_behind is over: publish goes on", undefined],
  ]);
});
