/** The demo's history is ingested without a rejection, contains the story's events, and can be continued. */
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Database } from "better-sqlite3";
import { afterAll, beforeAll, expect, test } from "vitest";
import { planOf } from "../../demo/history/plan.ts";
import { Wheel } from "../../demo/history/wheel.ts";
import { openLedgerForIntake } from "../../src/ledger/open.ts";
import { buildProcess } from "../../src/resources/process/build.ts";
import type { Process } from "../../src/resources/process/contract.ts";
import { readProcessFacts } from "../../src/resources/process/facts.ts";
import { ingest } from "../ledger/ingest.ts";
import { coreAt } from "../resources/process/history.ts";

const END = Date.parse("2026-11-21T11:07:13.500Z");
const plan = planOf(7, "wheel-1", END);
const { story } = plan;
const directory = mkdtempSync(join(tmpdir(), "noonmark-wheel-"));
const wheel = new Wheel(plan);
let ledger: Database;
/** The modules with private parts, which the ledger does not keep. */
const privateModules = new Set<unknown>();

function* history() {
  for (const record of wheel.history(END)) {
    if (record.type === "module" && JSON.stringify(record).includes("private-")) privateModules.add(record.instanceId);
    yield record;
  }
}

beforeAll(() => {
  ledger = openLedgerForIntake(join(directory, "ledger.db"));
  expect(ingest(ledger, history())).toMatchObject({ rejected: 0, duplicate: 0, rejections: [] });
});

afterAll(() => {
  ledger.close();
  rmSync(directory, { recursive: true });
});

const all = (sql: string, ...values: unknown[]) => ledger.prepare(sql).all(...values) as Record<string, unknown>[];
const value = (sql: string, ...values: unknown[]) =>
  ledger
    .prepare(sql)
    .pluck()
    .get(...values);

test("the same plan gives the same bytes", () => {
  const digest = () => {
    const hash = createHash("sha256");
    for (const record of new Wheel(plan).history(plan.from + 2 * 86_400_000))
      hash.update(`${JSON.stringify(record)}\n`);
    return hash.digest("hex");
  };
  expect(digest()).toBe(digest());
});

test("a receipt every thirty seconds up to the end", () => {
  expect(value("SELECT max(observed_at) FROM receipt")).toBeGreaterThan(END - 30_000);
  expect(value("SELECT count(*) FROM receipt")).toBeGreaterThan(84_000);
});

test("the wheel rests at night and varies by day", () => {
  const night = plan.dawn + 20 * 86_400_000 - 8 * 3_600_000;
  const between = "FROM receipt WHERE observed_at BETWEEN ? AND ?";
  expect(all(`SELECT DISTINCT core_status ${between}`, night, night + 7 * 3_600_000)).toEqual([
    { core_status: "IDLE" },
  ]);
  const noon = plan.dawn + 20 * 86_400_000 + 8 * 3_600_000;
  expect(value(`SELECT max(speed_mm_per_second) ${between}`, noon, noon + 3_600_000)).toBeGreaterThan(300);
  expect(value("SELECT count(*) FROM round WHERE work_units = '0'")).toBeGreaterThan(30 * 48);
});

test("two days of rest are observed and have no work", () => {
  const between = "FROM round WHERE CAST(round_id AS INTEGER) BETWEEN ? AND ?";
  const first = Math.ceil((story.rest.from - plan.genesisMs) / 600_000);
  const last = first + 2 * 144 - 2;
  expect(value(`SELECT count(*) ${between} AND work_units = '0'`, first, last)).toBe(last - first + 1);
});

test("a gap has no receipts, and its rounds stay missing", () => {
  expect(
    value("SELECT count(*) FROM receipt WHERE observed_at >= ? AND observed_at < ?", story.gap.from, story.gap.to),
  ).toBe(0);
  const first = Math.ceil((story.gap.from - plan.genesisMs) / 600_000);
  const last = Math.floor((story.gap.to - plan.genesisMs) / 600_000) - 1;
  const between = "FROM round WHERE CAST(round_id AS INTEGER) BETWEEN ? AND ?";
  expect(last - first).toBeGreaterThan(28);
  expect(value(`SELECT count(*) ${between}`, first, last)).toBe(0);
  expect(value(`SELECT count(*) ${between}`, first - 1, last + 1)).toBe(2);
});

test("after a fault the counter restarts in an epoch that is approved later", () => {
  const epochs = all(
    `SELECT first_position, (SELECT cumulative_work_units FROM receipt WHERE position = last_position) AS work,
      approved_at FROM counter_epoch JOIN epoch_approval USING (counter_epoch) ORDER BY first_position`,
  );
  expect(epochs).toHaveLength(2);
  expect(epochs[1]).toMatchObject({ approved_at: story.resetApprovedAt });
  expect(Number(epochs[0]?.work)).toBeGreaterThan(Number(epochs[1]?.first_position) / 10);
  expect(value("SELECT count(*) FROM receipt WHERE core_status = 'COUNTER_FAULT'")).toBe(6);
});

test("closed rounds are accepted late while the Oracle is blocked", () => {
  const late = all(
    "SELECT first_round, last_round FROM closure WHERE accepted_at >= ? AND first_round < last_round",
    story.lateAcceptance.to,
  );
  expect(late).toHaveLength(1);
  expect(Number(late[0]?.last_round) - Number(late[0]?.first_round)).toBeGreaterThan(18);
  expect(all("SELECT blocked_reason FROM oracle_block ORDER BY at")).toEqual([
    { blocked_reason: "signature_mismatch" },
    { blocked_reason: null },
  ]);
});

test("one submission is reverted, one superseded, and the rest are confirmed without gaps", () => {
  const ended = all("SELECT lifecycle, count(*) AS n FROM submission GROUP BY lifecycle ORDER BY lifecycle");
  expect(ended.filter(({ lifecycle }) => lifecycle !== "confirmed")).toEqual([
    { lifecycle: "reverted", n: 1 },
    { lifecycle: "superseded", n: 1 },
  ]);
  let frontier = 0;
  let work = 0n;
  for (const row of all("SELECT * FROM submission WHERE lifecycle = 'confirmed' ORDER BY prepared_at")) {
    const settled = Number(row.settled_through_round);
    const rounds = all(
      "SELECT work_units FROM round WHERE CAST(round_id AS INTEGER) > ? AND CAST(round_id AS INTEGER) <= ?",
      frontier,
      settled,
    );
    const before = work / 1_000n;
    for (const round of rounds) work += BigInt(round.work_units as string);
    expect(row).toMatchObject({
      previous_settled_through_round: expect.stringMatching(new RegExp(`^0*${frontier}$`)),
      active_round_count: rounds.filter((round) => round.work_units !== "0").length,
      expected_cumulative_work: String(work),
      expected_block_height: String(work / 1_000n),
      expected_current_work: String(work % 1_000n),
      expected_completed_block_count: String(work / 1_000n - before),
    });
    frontier = settled;
  }
  expect(work).toBeGreaterThan(100_000n);
});

test("the history has disabled settlement, failed runs, late receipts and modules with private parts", () => {
  expect(value("SELECT count(*) FROM settlement_control WHERE blocked_reason IS NOT NULL AND incident_open = 1")).toBe(
    1,
  );
  expect(value("SELECT count(*) FROM settlement_control WHERE settlement_enabled = 0")).toBe(1);
  expect(value("SELECT count(*) FROM reporter_run WHERE result = 'failed'")).toBeGreaterThan(3);
  expect(value("SELECT count(*) FROM receipt WHERE received_at - observed_at > 600000")).toBeGreaterThan(10);
  expect(value("SELECT count(*) FROM module")).toBe(4);
  expect(privateModules.size).toBe(4);
});

/** The process snapshot over a Core that has settled the ledger's confirmed submissions. */
function processAt(at: number): Process {
  const [last] = all("SELECT * FROM submission WHERE lifecycle = 'confirmed' ORDER BY prepared_at DESC LIMIT 1");
  const core = coreAt(
    BigInt(last?.settled_through_round as string),
    BigInt(last?.expected_cumulative_work as string),
    1_000n,
  );
  const facts = readProcessFacts(
    ledger,
    { rowId: 1, id: "wheel-1" },
    { core, genesisTimestamp: BigInt(plan.genesisMs / 1_000) },
  );
  return JSON.parse(buildProcess(facts, at).body) as Process;
}

test("the process snapshot shows blocks ahead of the chain and a ready queue", () => {
  const { builder, oracle, settlementQueue } = processAt(END);
  expect(builder).toMatchObject({ status: "available" });
  expect(oracle).toMatchObject({ state: "accepted" });
  expect(settlementQueue).toMatchObject({ status: "available", state: "ready" });
});

test("a live device continues after the history, and after hours of silence reboots and closes the missed rounds", () => {
  const live = (from: number, to: number) => {
    for (let at = from; at <= to; at += 15_000) {
      expect(ingest(ledger, wheel.nextLive(at))).toMatchObject({ rejected: 0, duplicate: 0 });
    }
  };
  const newestRound = () => Number(value("SELECT max(CAST(round_id AS INTEGER)) FROM round"));
  live(END, END + 20 * 60_000);
  expect(value("SELECT count(*) FROM receipt WHERE observed_at > ? AND observed_at <= ?", END, END + 60_000)).toBe(20);
  expect(value("SELECT count(*) FROM submission WHERE prepared_at > ?", END)).toBeGreaterThan(0);
  const before = newestRound();
  const later = END + 5 * 3_600_000;
  live(later, later + 30 * 60_000);
  const newest = newestRound();
  expect(value("SELECT count(*) FROM round WHERE CAST(round_id AS INTEGER) BETWEEN ? AND ?", before, newest)).toBe(
    newest - before + 1,
  );
  expect(value("SELECT count(*) FROM closure WHERE CAST(last_round AS INTEGER) >= ?", newest)).toBe(1);
  expect(processAt(later + 30 * 60_000)).toMatchObject({
    builder: { status: "available" },
    settlementQueue: { status: "available", lastRun: { result: expect.stringMatching(/submit/) } },
  });
});
