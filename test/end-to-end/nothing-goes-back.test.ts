/** Nothing goes back, on the built program over a directory (docs/spec/publishing.md#nothing-goes-back). */
import { copyFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fileOfKey } from "../../src/object-store/filesystem/format.ts";
import { module, oracle, receipt } from "../ledger/samples.ts";
import type { Finished } from "../support/cli.ts";
import { Cli } from "./cli.ts";

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
const publish = (seconds: number, ...more: string[]): Promise<Finished> =>
  cli.run("publish", "--once", "--at", instant(seconds), ...more);

async function ingest(records: readonly object[]): Promise<void> {
  writeFileSync(at("facts.ndjson"), records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  expect((await cli.run("ingest", "facts.ndjson")).exitCode).toBe(0);
}

function stored(key: string): string {
  return readFileSync(fileOf(key), "utf8");
}

const KEYS = ["v1/public/telemetry", "v1/public/modules", "v4/public/process"];

test("an older ledger in place of the published one ends with 1 in every mode and takes nothing back", async () => {
  await ingest([
    ...receipts(1, 20),
    module({ observedAt: instant(0) }),
    oracle({ at: instant(0), blockedReason: null }),
  ]);
  copyFileSync(at("ledger.db"), at("older.db"));
  await ingest([
    module({ observedAt: instant(30), instanceId: "encoder-1", state: "faulted" }),
    oracle({ at: instant(30), blockedReason: "paused" }),
  ]);
  expect(await publish(70)).toMatchObject({ exitCode: 0, stderr: "" });
  const before = KEYS.map(stored);
  copyFileSync(at("older.db"), at("ledger.db"));
  for (const suffix of ["-wal", "-shm"]) rmSync(at(`ledger.db${suffix}`), { force: true });
  for (const more of [[], ["--only", "process"], ["--force"], ["--state", "lost"]]) {
    const { exitCode, stderr } = await publish(80, ...more);
    expect([more, exitCode], stderr).toEqual([more, 1]);
    expect(stderr).toContain("noonmark: ledger_behind: wheel-1 was published with");
  }
  expect(KEYS.filter((key, index) => key !== "v1/public/telemetry" && stored(key) !== before[index])).toEqual([]);
  expect(JSON.parse((await cli.run("status", "--json")).stdout).report.failures).toMatchObject([
    { code: "ledger_behind" },
  ]);
});

test("--at a year ahead is refused before anything is put, and forced only where nothing was published", async () => {
  await ingest(receipts(1, 3));
  const ahead = new Date(Date.now() + 365 * 86_400_000).toISOString();
  for (const more of [["--force"], []]) {
    if (more.length === 0) expect((await cli.run("publish", "--once")).exitCode).toBe(0);
    const first = await cli.run("publish", "--once", "--at", ahead);
    expect(first).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("at_in_future") });
  }
  expect((await cli.run("publish", "--once", "--at", ahead, "--force")).exitCode).toBe(2);
  rmSync(at("public"), { recursive: true });
  rmSync(at("state"), { recursive: true });
  expect((await cli.run("publish", "--once", "--at", ahead, "--force")).exitCode).toBe(0);
  expect(await cli.run("publish", "--once")).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("clock_behind"),
  });
});

test("an installation that the ledger does not know is published, and warned of", async () => {
  await ingest(receipts(1, 3));
  const { exitCode, stderr } = await publish(10, "--installation-id", "whell-1");
  expect(exitCode).toBe(0);
  expect(stderr).toContain("warning: unknown_installation: the ledger has no installation whell-1: it has wheel-1");
});

test("after status.json and the state are deleted the next runs publish, with rising epochs", async () => {
  for (const n of [1, 2, 3]) {
    await ingest(receipts(n, n));
    expect((await publish(10 + n)).exitCode).toBe(0);
  }
  rmSync(fileOf("status.json"));
  rmSync(at("state"), { recursive: true });
  await ingest(receipts(4, 5));
  expect(await publish(20)).toMatchObject({ exitCode: 0, stderr: "" });
  expect(stored("v1/public/telemetry")).toContain('"cumulativeWorkUnits":"50"');
  expect(JSON.parse((await cli.run("status", "--json")).stdout).epoch).toBeGreaterThan(3);
});

test("a truncated response with a lost state is rewritten, and no other one is affected", async () => {
  await ingest([...receipts(1, 3), receipt(1, { installationId: "wheel-2" })]);
  expect((await publish(10)).exitCode).toBe(0);
  const key = "v1/public/installations/~wheel-2/telemetry";
  const whole = stored(key).length;
  truncateSync(fileOf(key), 40);
  rmSync(at("state"), { recursive: true });
  await ingest(receipts(4, 4));
  const { exitCode, stderr } = await publish(20);
  // The repair is said in one line that names the object.
  expect([exitCode, stderr.split("\n").length]).toEqual([0, 2]);
  expect(stderr).toContain(key);
  expect(stored("v1/public/telemetry")).toContain('"cumulativeWorkUnits":"40"');
  expect(stored(key).length).toBeGreaterThanOrEqual(whole);
});

test("status --max-age fails after a publish by a clock that was a day ahead", async () => {
  await ingest(receipts(1, 3));
  const ahead = new Date(Date.now() + 86_400_000).toISOString();
  expect((await cli.run("publish", "--once", "--at", ahead, "--force")).exitCode).toBe(0);
  expect(await cli.run("status", "--max-age", "60")).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("clock_behind"),
  });
});
