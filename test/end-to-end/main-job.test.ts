/** The main workflow with the built CLI: ingest, publish, serve, and read every route over HTTP. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { planOf } from "../../demo/history/plan.ts";
import { Wheel } from "../../demo/history/wheel.ts";
import { observationsSchema } from "../../src/resources/observations/contract.ts";
import { receipt } from "../ledger/samples.ts";
import { runCli, startCli } from "../support/cli.ts";
import { stop } from "../support/processes.ts";

const END = Date.parse("2026-11-20T10:17:03.000Z");
const AT = new Date(END).toISOString();
const PLAN = planOf(7, "wheel-1", END);
const GENESIS = String(PLAN.genesisMs / 1000);

const ROUTES = [
  "/v1/public/telemetry",
  "/v1/public/installations/wheel-1/telemetry",
  "/v1/public/installations/nobody/telemetry",
  "/v1/public/modules",
  "/v1/public/installations/wheel-1/observations?limit=3",
  "/v1/public/installations/wheel-1/observations?limit=100&cursor=NDAwMDA",
  "/v1/public/installations/nobody/observations",
  "/v4/public/process",
  "/v2/public/stats?range=7d",
  "/v2/public/stats?range=30d",
  "/v4/public/onchain",
  "/v4/public/settlements?range=now",
  "/v4/public/settlements?range=now&queue=1",
  "/v4/public/settlements?range=30d",
  "/v3/public/settlements?range=24h",
  "/v1/public/activity",
  "/v1/public/activity?category=measurement&limit=5",
  "/v2/public/stats",
  "/v4/public/process?x",
  "/v1/public/nothing",
];

const folder = mkdtempSync(join(tmpdir(), "noonmark-main-job-"));
writeFileSync(join(folder, "noonmark.json"), "{}\n");
const SETTINGS = { NOONMARK_INSTALLATION_ID: "wheel-1", NOONMARK_GENESIS_TIMESTAMP: GENESIS };
const run = (...args: string[]) => runCli(args, folder, "", SETTINGS);
let shim: ChildProcess | undefined;
let base = "";

beforeAll(async () => {
  const file = join(folder, "history.ndjson");
  function* lines() {
    for (const record of new Wheel(PLAN).history(END)) yield `${JSON.stringify(record)}\n`;
  }
  await pipeline(Readable.from(lines()), createWriteStream(file));
  const ingested = await run("ingest", "history.ndjson");
  expect(ingested).toMatchObject({ exitCode: 0, stderr: "" });
  expect(ingested.stdout).toMatch(/^\d+ accepted, 0 duplicate, 0 rejected; ledger .*\n$/);
  expect(await run("publish", "--once", "--at", AT)).toMatchObject({ exitCode: 0, stderr: "" });
  const serving = startCli(["serve", "--port", "0", "--at", AT], folder, SETTINGS);
  shim = serving;
  const [line] = (await once(createInterface({ input: serving.stdout }), "line")) as [string];
  base = /http:\S+/.exec(line)?.[0] ?? "";
}, 120_000);
afterAll(async () => {
  if (shim !== undefined) await stop(shim, "SIGTERM");
  rmSync(folder, { recursive: true });
});

test.each(ROUTES)("GET %s equals the output of render, byte for byte", async (route) => {
  const served = await fetch(base + route, { headers: { "accept-encoding": "identity" } });
  const rendered = await run("render", route, "--at", AT, "--json");
  expect(rendered).toMatchObject({ exitCode: 0, stderr: "" });
  const { status, headers, body } = JSON.parse(rendered.stdout);
  expect(served.status).toBe(status);
  expect(Object.fromEntries(served.headers)).toMatchObject(headers);
  expect(await served.text()).toBe(body);
  expect(() => JSON.parse(body)).not.toThrow();
  expect(await (await fetch(base + route, { headers: { "accept-encoding": "gzip" } })).text()).toBe(body);
});

test("a page of observations passes the API's schema", async () => {
  const page = await fetch(`${base}/v1/public/installations/wheel-1/observations`);
  expect(observationsSchema.parse(await page.json()).items).toHaveLength(100);
});

test("ingesting the same file again changes nothing, and publishing again puts nothing", async () => {
  expect((await run("ingest", "history.ndjson")).stdout).toMatch(
    /^0 accepted, \d+ duplicate, 0 rejected; ledger .*\n$/,
  );
  const report = JSON.parse((await run("publish", "--once", "--at", AT, "--json")).stdout);
  expect(report.rows.filter(({ action }: { action: string }) => action !== "unchanged")).toEqual([]);
});

test("a reader gets one more receipt at once", async () => {
  const one = receipt(1, { observedAt: AT, receivedAt: AT, softwareVersion: "9.9.9" });
  expect((await runCli(["ingest", "-"], folder, JSON.stringify(one), SETTINGS)).stdout).toMatch(/^1 accepted, /);
  expect((await run("publish", "--once", "--at", AT)).exitCode).toBe(0);
  expect(await (await fetch(`${base}/v1/public/telemetry`)).text()).toContain('"softwareVersion":"9.9.9"');
});

test.each([
  [["publish", "--bogus"], 2, "noonmark: usage: unknown option"],
  [["publish", "--once", "--at", "yesterday"], 2, "usage"],
  [["publish", "--once", "--installation-id", ".."], 2, "invalid_setting"],
  [["publish", "--once", "--genesis-timestamp", "61"], 2, "invalid_setting"],
  [["publish", "--once", "--ledger", "absent.db"], 74, "ledger_not_found"],
  [["publish", "--once", "--ledger", "history.ndjson"], 74, "ledger_damaged"],
  [["publish", "--once", "--config", "absent.json"], 2, "invalid_setting"],
  [["render", "/v1/public/telemetry", "--ledger", "absent.db"], 74, "ledger_not_found"],
  [["publish", "--once", "--store", "history.ndjson/x"], 74, "store_"],
  [["weather"], 2, "noonmark: usage: unknown command"],
])("%j ends with %i and says %s, without a stack trace", async (args, exitCode, words) => {
  const ended = await run(...args);
  expect(ended.exitCode).toBe(exitCode);
  expect(ended.stderr).toContain(words);
  expect(ended.stderr).not.toMatch(/\n\s+at /);
});
