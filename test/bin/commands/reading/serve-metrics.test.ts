import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { beforeEach, expect, test } from "vitest";
import { openStore } from "../../../../src/object-store/open-store.ts";
import { samplesOf, scrape } from "../../../support/exposition.ts";
import { type RunningCli, runningCli } from "../../../support/running-cli.ts";
import { testFolder } from "../../../support/test-folder.ts";
import { putWorld } from "../../../support/world.ts";

const AT = "2026-11-20T10:00:00.000Z";

let directory = "";
beforeEach(async () => {
  directory = testFolder();
  await putWorld(await openStore(directory, { write: true }), Date.parse(AT));
});

async function served(...args: string[]): Promise<RunningCli & { readonly shim: string; readonly metrics: string }> {
  const serving = runningCli(["serve", "--store", directory, "--port", "0", "--at", AT, ...args], directory);
  const [, shim = ""] = / on (http:\S+)/.exec(await serving.printed(/ on http:.*\n/)) ?? [];
  return { ...serving, shim, metrics: String((await serving.logged("metrics")).url) };
}

async function status(url: string, init: RequestInit = {}): Promise<number> {
  const response = await fetch(url, init);
  await response.arrayBuffer();
  return response.status;
}

/** Requests a raw target, which fetch would normalise. */
async function rawStatus(shim: string, path: string): Promise<number | undefined> {
  const sent = request(shim, { path }).end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  response.resume();
  await once(response, "end");
  return response.statusCode;
}

function ofRequests(samples: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(samples).filter(([name]) => name.startsWith("noonmark_shim_requests")));
}

test("requests are counted by route template and status, not by path", async () => {
  const { shim, metrics, ended } = await served("--metrics", "127.0.0.1:0");
  const tag = '"telemetry-1"';
  for (const [path, expected, init] of [
    ["/v1/public/telemetry", 200, {}],
    ["/v1/public/telemetry", 200, { method: "HEAD" }],
    ["/v4/public/process", 304, { headers: { "if-none-match": "*" } }],
    ["/v1/public/installations/wheel-2/telemetry", 200, {}],
    ["/v1/public/installations/never-heard-of/telemetry", 200, {}],
    ["/v1/public/installations/a%20b/telemetry", 400, {}],
    ["/v2/public/stats?range=1d", 400, {}],
    ["/v1/public/telemetry", 405, { method: "POST" }],
    ["/v1/public/telemetry", 204, { method: "OPTIONS" }],
    [`/secret-${tag}`, 404, {}],
    ["/healthz", 200, {}],
  ] as const) {
    expect(await status(shim + path, init), path).toBe(expected);
  }
  expect(await rawStatus(shim, "/v1/public/../nothing\\here")).toBe(404);
  const samples = await scrape(metrics);
  expect(ofRequests(samples)).toEqual({
    'noonmark_shim_requests_total{route="/v1/public/telemetry",status="200"}': 2,
    'noonmark_shim_requests_total{route="/v4/public/process",status="304"}': 1,
    'noonmark_shim_requests_total{route="/v1/public/installations/{installationId}/telemetry",status="200"}': 2,
    'noonmark_shim_requests_total{route="/v1/public/installations/{installationId}/telemetry",status="400"}': 1,
    'noonmark_shim_requests_total{route="/v2/public/stats",status="400"}': 1,
    'noonmark_shim_requests_total{route="none",status="204"}': 1,
    'noonmark_shim_requests_total{route="none",status="404"}': 2,
    'noonmark_shim_requests_total{route="none",status="405"}': 1,
  });
  expect(samples['noonmark_store_reads_total{outcome="found"}']).toBeGreaterThanOrEqual(4);
  expect(samples['noonmark_store_reads_total{outcome="failed"}']).toBe(0);
  expect(samples.process_resident_memory_bytes).toBeGreaterThan(10_000_000);
  expect((await ended("SIGTERM")).exitCode).toBe(0);
});

test("metrics are served only at their own address", async () => {
  const { shim, metrics } = await served("--metrics", "127.0.0.1:0");
  expect(new URL(metrics).port).not.toBe(new URL(shim).port);
  expect(await status(`${shim}/metrics`)).toBe(404);
  expect(await status(new URL("/v4/public/process", metrics).href)).toBe(404);
  expect(await status(new URL("/healthz", metrics).href)).toBe(404);
  expect(await status(metrics, { method: "POST" })).toBe(405);
  const page = await fetch(metrics);
  expect(page.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  expect(page.headers.get("cache-control")).toBe("no-store");
  expect(samplesOf(await page.text())['noonmark_build_info{version="0.1.0"}']).toBe(1);
});
