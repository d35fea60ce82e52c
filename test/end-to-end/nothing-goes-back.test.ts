/** Nothing goes back, on the built program over a directory (docs/spec/publishing.md#nothing-goes-back). */
import { copyFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fileOfKey } from "../../src/object-store/filesystem/names.ts";
import { module, oracle, receipt } from "../ledger/samples.ts";
import { Cli, type Ended } from "./cli.ts";

let cli: Cli;
beforeEach(() => {
  cli = new Cli({
    NOONMARK_INSTALLATION_ID: "wheel-1",
    NOONMARK_LEDGER: "ledger.db",
    NOONMARK_STORE: "public",
    NOONMARK_STATE: "state",
    // 2026-11-20T10:00:00Z, so that nothing has to be warned of.
    NOONMARK_GENESIS_TIMESTAMP: "1795168800",
  });
});
afterEach(() => cli.end());

const at = (file: string) => join(cli.folder, file);
const fileOf = (key: string) => at(`public/${fileOfKey(key)}`);
const instant = (seconds: number) => new Date(Date.UTC(2026, 10, 20, 10) + seconds * 1000).toISOString();
const receipts = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => receipt(from + index));
const publish = (seconds: number, ...more: string[]): Ended =>
  cli.run("publish", "--once", "--at", instant(seconds), ...more);

function ingest(records: readonly object[]): void {
  writeFileSync(at("facts.ndjson"), records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  expect(cli.run("ingest", "facts.ndjson").status).toBe(0);
}

function stored(key: string): string {
  return readFileSync(fileOf(key), "utf8");
}

const KEYS = ["v1/public/telemetry", "v1/public/modules", "v4/public/process"];

test("an older ledger in the place of the published one: exit 1 in every mode, nothing is taken back", () => {
  ingest([...receipts(1, 20), module({ observedAt: instant(0) }), oracle({ at: instant(0), blockedReason: null })]);
  copyFileSync(at("ledger.db"), at("older.db"));
  ingest([
    module({ observedAt: instant(30), instanceId: "encoder-1", state: "faulted" }),
    oracle({ at: instant(30), blockedReason: "paused" }),
  ]);
  expect(publish(70)).toMatchObject({ status: 0, stderr: "" });
  const before = KEYS.map(stored);
  copyFileSync(at("older.db"), at("ledger.db"));
  for (const suffix of ["-wal", "-shm"]) rmSync(at(`ledger.db${suffix}`), { force: true });
  for (const more of [[], ["--only", "process"], ["--force"], ["--state", "lost"]]) {
    const { status, stderr } = publish(80, ...more);
    expect([more, status], stderr).toEqual([more, 1]);
    expect(stderr).toContain("noonmark: ledger_behind: wheel-1 was published with");
  }
  expect(KEYS.filter((key, index) => key !== "v1/public/telemetry" && stored(key) !== before[index])).toEqual([]);
  expect(JSON.parse(cli.run("status", "--json").stdout).report.failures).toMatchObject([{ code: "ledger_behind" }]);
});

test("--at a year ahead is refused before anything is put, and forced only where nothing was published", () => {
  ingest(receipts(1, 3));
  const ahead = new Date(Date.now() + 365 * 86_400_000).toISOString();
  for (const more of [["--force"], []]) {
    if (more.length === 0) expect(cli.run("publish", "--once").status).toBe(0);
    const first = cli.run("publish", "--once", "--at", ahead);
    expect(first).toMatchObject({ status: 2, stderr: expect.stringContaining("at_in_future") });
  }
  expect(cli.run("publish", "--once", "--at", ahead, "--force").status).toBe(2);
  rmSync(at("public"), { recursive: true });
  rmSync(at("state"), { recursive: true });
  expect(cli.run("publish", "--once", "--at", ahead, "--force").status).toBe(0);
  expect(cli.run("publish", "--once")).toMatchObject({ status: 1, stderr: expect.stringContaining("clock_behind") });
});

test("an installation that the ledger does not know is published, and warned of", () => {
  ingest(receipts(1, 3));
  const { status, stderr } = publish(10, "--installation-id", "whell-1");
  expect(status).toBe(0);
  expect(stderr).toContain("warning: unknown_installation: the ledger has no installation whell-1: it has wheel-1");
});

test("status.json and the state deleted after many runs: the next ones publish, epochs go on rising", () => {
  for (const n of [1, 2, 3]) {
    ingest(receipts(n, n));
    expect(publish(10 + n).status).toBe(0);
  }
  rmSync(fileOf("status.json"));
  rmSync(at("state"), { recursive: true });
  ingest(receipts(4, 5));
  expect(publish(20)).toMatchObject({ status: 0, stderr: "" });
  expect(stored("v1/public/telemetry")).toContain('"cumulativeWorkUnits":"50"');
  expect(JSON.parse(cli.run("status", "--json").stdout).epoch).toBeGreaterThan(3);
});

test("a truncated response, with the state lost, harms itself alone and is rewritten", () => {
  ingest([...receipts(1, 3), receipt(1, { installationId: "wheel-2" })]);
  expect(publish(10).status).toBe(0);
  const key = "v1/public/installations/~wheel-2/telemetry";
  const whole = stored(key).length;
  truncateSync(fileOf(key), 40);
  rmSync(at("state"), { recursive: true });
  ingest(receipts(4, 4));
  const { status, stderr } = publish(20);
  // The repair is said in one line that names the object.
  expect([status, stderr.split("\n").length]).toEqual([0, 2]);
  expect(stderr).toContain(key);
  expect(stored("v1/public/telemetry")).toContain('"cumulativeWorkUnits":"40"');
  expect(stored(key).length).toBeGreaterThanOrEqual(whole);
});

test("status --max-age is not content with what was published by a clock that was a day ahead", () => {
  ingest(receipts(1, 3));
  const ahead = new Date(Date.now() + 86_400_000).toISOString();
  expect(cli.run("publish", "--once", "--at", ahead, "--force").status).toBe(0);
  expect(cli.run("status", "--max-age", "60")).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("clock_behind"),
  });
});
