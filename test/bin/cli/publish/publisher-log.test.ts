/** A publisher's log: repeated events become single summary lines. */
import { pino } from "pino";
import { expect, test } from "vitest";
import {
  chainLog,
  cycleLog,
  deviceLog,
  failureLog,
  publisherOutages,
} from "../../../../bin/cli/publish/publisher-log.ts";
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

test("a silent device is one line after fifteen minutes, and one when it is back; a moved clock is no silence", () => {
  const lines: Record<string, unknown>[] = [];
  const clock = { now: 0, jump: 0 };
  const write = (line: string) => void lines.push(JSON.parse(line));
  const report = deviceLog(pino({ base: null, timestamp: false }, { write }), {
    wall: () => clock.now + clock.jump,
    monotonic: () => clock.now,
  });
  const first = new Date(0).toISOString();
  report(null);
  for (; clock.now <= 900_000; clock.now += 1_000) {
    clock.jump = clock.now < 5_000 ? 0 : 3_600_000;
    report(first);
  }
  expect(lines).toEqual([]);
  for (; clock.now < 3_000_000; clock.now += 1_000) report(first);
  expect(lines).toMatchObject([{ level: 40, code: "device_silent", newestReceiptAt: first }]);
  clock.jump = 0;
  report(new Date(clock.now).toISOString());
  for (; clock.now < 3_800_000; clock.now += 1_000) report(new Date(3_000_000).toISOString());
  expect(lines.slice(1)).toMatchObject([{ level: 30, msg: "the device sends receipts again", afterMs: 3_000_000 }]);
  for (; clock.now < 4_000_000; clock.now += 1_000) report(new Date(3_000_000).toISOString());
  report(new Date(clock.now).toISOString());
  expect(lines.slice(2)).toMatchObject([{ code: "device_silent" }, { msg: "the device sends receipts again" }]);
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

test("a node's recovery is one line with the length of the outage", () => {
  const { lines, clock, report } = logged();
  const said = `${DEAD.node}: ECONNREFUSED`;
  report(DEAD);
  clock.now = 90_000;
  report({ kind: "good", node: "http://other.test", tip: 7n });
  report({ kind: "good", node: DEAD.node, tip: 7n });
  report({ kind: "good", node: DEAD.node, tip: 8n });
  report(DEAD);
  expect(lines.map(({ msg }) => msg)).toEqual([said, "the node gives good responses again", said]);
  expect(lines[1]).toMatchObject({ code: "indexer_unavailable", node: DEAD.node, afterMs: 90_000 });
});

test("a disagreeing node causes only one warning while its polls find nothing new", () => {
  const { lines, clock, report } = logged();
  const lying = { kind: "disagreement", node: DEAD.node, detail: "another says otherwise" } as const;
  for (; clock.now < 600_000; clock.now += 4_000) {
    report({ kind: "good", node: DEAD.node, tip: 7n });
    report(lying);
  }
  expect(lines.map(({ code }) => code)).toEqual(["nodes_disagree"]);
  report(DEAD);
  report({ kind: "good", node: DEAD.node, tip: 8n });
  expect(lines.map(({ msg }) => msg)).toEqual([
    `${DEAD.node}: another says otherwise`,
    `${DEAD.node}: ECONNREFUSED`,
    "the node gives good responses again",
  ]);
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

test("locked projections are named as such, and not as an outage of the store", () => {
  const { lines, clock, outage } = failures();
  outage.failed(new Failure("projections_locked", "another process is writing to projections.db"), "cycle");
  clock.now = 20_000;
  outage.succeeded("cycle");
  expect(lines.map(({ msg }) => msg)).toEqual([
    "another process has locked the projections: publish tries it again",
    "the projections are free again",
  ]);
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
