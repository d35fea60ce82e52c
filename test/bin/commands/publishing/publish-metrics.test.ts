import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { RECORD_TYPES } from "../../../../src/ledger/intake/record-types.ts";
import { openLedgerForIntake } from "../../../../src/ledger/open.ts";
import { ingest } from "../../../ledger/ingest.ts";
import { runCli } from "../../../support/cli.ts";
import { scrape } from "../../../support/exposition.ts";
import { freePort } from "../../../support/free-port.ts";
import { runningCli } from "../../../support/running-cli.ts";
import { configuredFolder } from "../../../support/test-folder.ts";

let directory = "";
beforeEach(() => {
  directory = configuredFolder();
  const ledger = openLedgerForIntake(join(directory, "ledger.db"));
  ingest(ledger, [RECORD_TYPES.receipt.example]);
  ledger.close();
});

function publisher(state: string, ...args: string[]) {
  const settings = ["--installation-id", "wheel-1", "--ledger", "ledger.db", "--store", "store", "--state", state];
  return runningCli(["publish", ...settings, "--metrics", "127.0.0.1:0", ...args], directory);
}

async function health(metrics: string): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(new URL("/healthz", metrics));
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function healthOf(metrics: string, status: number) {
  for (;;) {
    const found = await health(metrics);
    if (found.status === status) return found;
  }
}

test("a publisher has metrics of responses, cycles, puts, lease and sources, and its health follows the store", async () => {
  const { logged, ended } = publisher("state");
  const metrics = String((await logged("metrics")).url);
  await logged("cycle");
  const samples = await scrape(metrics);
  expect(samples).toMatchObject({
    'noonmark_response_status_code{route="/v1/public/telemetry"}': 200,
    'noonmark_response_status_code{route="/v2/public/stats?range=7d"}': 503,
    'noonmark_cycle_duration_seconds_count{outcome="done"}': 1,
    'noonmark_cycle_duration_seconds_count{outcome="outage"}': 0,
    noonmark_healthy: 1,
    'noonmark_puts_total{resource="statistics",outcome="done"}': 2,
    'noonmark_lease_state{state="publishing"}': 1,
    'noonmark_lease_state{state="standby"}': 0,
    'noonmark_ledger_state{state="followed"}': 1,
    'noonmark_chain_state{state="disabled"}': 1,
  });
  expect(samples['noonmark_response_age_seconds{route="/v1/public/telemetry"}']).toBeLessThan(60);
  // The example was received in 2026.
  expect(samples.noonmark_ledger_lag_seconds).toBeGreaterThan(0);
  expect(samples.noonmark_lease_epoch).toBeGreaterThan(0);
  expect(samples).not.toHaveProperty("noonmark_chain_lag_blocks");
  expect(samples['noonmark_store_reads_total{outcome="absent"}']).toBeGreaterThan(0);
  expect(await health(metrics)).toMatchObject({ status: 200, body: { status: "ok", phase: "publishing" } });
  renameSync(join(directory, "store"), join(directory, "away"));
  // Reported with the next put or lease renewal, at most ten seconds later.
  await logged("the store does not respond");
  expect(await healthOf(metrics, 503)).toMatchObject({
    body: {
      status: "failing",
      reason: expect.stringMatching(/^the lease was renewed \d+ s ago: .*(?:no store is here|ENOENT)/),
    },
  });
  renameSync(join(directory, "away"), join(directory, "store"));
  await healthOf(metrics, 200);
  expect((await ended("SIGTERM")).exitCode).toBe(0);
});

test("a standby is healthy, holds no lease and has published nothing", async () => {
  const holder = publisher("one");
  await holder.logged("cycle");
  const { logged } = publisher("two");
  const metrics = String((await logged("metrics")).url);
  await logged("standby");
  expect(await healthOf(metrics, 200)).toMatchObject({ body: { phase: "standby" } });
  const samples = await scrape(metrics);
  expect(samples['noonmark_lease_state{state="standby"}']).toBe(1);
  expect(samples).not.toHaveProperty("noonmark_lease_epoch");
  expect(Object.keys(samples).some((name) => name.startsWith("noonmark_response_"))).toBe(false);
});

test("--metrics is rejected for a single run", async () => {
  const { exitCode, stderr } = await runCli(["publish", "--once", "--metrics", "127.0.0.1:0"], directory);
  expect(exitCode).toBe(2);
  expect(stderr).toMatch("noonmark: usage: --metrics is not possible with --once");
});

test("ingest --follow has metrics of its lines while it runs", async () => {
  const port = await freePort();
  writeFileSync(join(directory, "more.ndjson"), "{}\n");
  const args = ["ingest", "--follow", "more.ndjson", "--ledger", "ledger.db", "--metrics", `127.0.0.1:${port}`];
  const following = runningCli(args, directory);
  await following.printed(/"rejected":1/);
  expect(await scrape(`http://127.0.0.1:${port}/metrics`)).toMatchObject({
    'noonmark_ingest_lines_total{outcome="accepted"}': 0,
    'noonmark_ingest_lines_total{outcome="rejected"}': 1,
  });
  await following.ended("SIGTERM");
  const single = await runCli(["ingest", "more.ndjson", "--metrics", `127.0.0.1:${port}`], directory);
  expect(single).toMatchObject({ exitCode: 2, stderr: expect.stringMatching("usage: --metrics requires --follow") });
});
