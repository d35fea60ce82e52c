import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { openStore } from "../../../../src/object-store/open-store.ts";
import { parseExchanges } from "../../../../src/verify/exchanges/format.ts";
import { raw } from "../../../shim/node/server-under-test.ts";
import { freePort } from "../../../support/free-port.ts";
import { type RunningCli, runningCli } from "../../../support/running-cli.ts";
import { runScript } from "../../../support/scripts/run-http-script.ts";
import { addressTarget, TRANSPORT_HEADERS } from "../../../support/scripts/script-targets.ts";
import { testFolder } from "../../../support/test-folder.ts";
import { putWorld } from "../../../support/world.ts";

const REQUEST = "GET /v4/public/process HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
const AT = "2026-11-20T10:00:00.000Z";

let directory = "";
beforeEach(() => {
  directory = testFolder();
});

const settings = () => ({ NOONMARK_STORE: directory, NOONMARK_PORT: "0" });
const noonmark = (...args: string[]) => runningCli(args, directory, settings());

async function portOf(serving: RunningCli): Promise<number> {
  const [, port] = /^Serving .* on http:\/\/127\.0\.0\.1:(\d+)/m.exec(await serving.printed(/^Serving .*\n/m)) ?? [];
  if (port === undefined) throw new Error(serving.output());
  return Number(port);
}

test("serves a directory as of --at, exits on SIGTERM, and does not log single requests", async () => {
  const store = await openStore(directory, { write: true });
  await putWorld(store, Date.parse(AT));
  const serving = noonmark("serve", "--at", "2026-11-20T10:02:00.001Z");
  const port = await portOf(serving);
  const script = parseExchanges(
    "serve",
    `GET /v1/public/telemetry
200
ETag: "telemetry-1"
= {"schemaVersion":1,"installationId":"wheel-1","revision":"telemetry-1","status":"stale"}

GET /v1/public/installations/wheel-2/observations?cursor=MTI3
200
= {"schemaVersion":1,"installationId":"wheel-2","items":[{"cursor":"MTI4","installationId":"wheel-2","sequence":127}],"nextCursor":null}

GET /v2/public/stats?range=30d
503
Cache-Control: no-store
Retry-After: 2
= {"error":"public_stats_rebuilding"}`,
  );
  const target = addressTarget({ hostname: "127.0.0.1", port }, { object: (key) => store.get(key) }, [
    ...TRANSPORT_HEADERS,
    "cdn-cache-control",
    "vary",
  ]);
  expect(await runScript(script, target)).toMatchObject({ differences: [], requests: 3 });
  const { exitCode, stderr } = await serving.ended("SIGTERM");
  expect(exitCode).toBe(0);
  expect(JSON.parse(stderr)).toMatchObject({ msg: "stopping", signal: "SIGTERM" });
});

test("an outage of the store is 503 and two lines, for any number of requests: its beginning and its end", async () => {
  const serving = noonmark("serve", "--store", join(directory, "nowhere"));
  const port = await portOf(serving);
  // Logged once at start-up, before any request.
  expect(await serving.logged()).toMatchObject({ msg: "the store cannot be read" });
  const responses = await Promise.all(
    ["/v4/public/process", "/v1/public/telemetry", "/readyz"].map((path) => fetch(`http://127.0.0.1:${port}${path}`)),
  );
  expect(responses.map(({ status }) => status)).toEqual([503, 503, 503]);
  expect(await responses[2]?.json()).toEqual({ error: "store_unavailable" });
  // Nobody repeats the requests. The shim itself finds out that the store is back.
  await openStore(join(directory, "nowhere"), { write: true });
  await serving.logged("the store can be read again");
  const { exitCode, stderr } = await serving.ended("SIGINT");
  expect(exitCode).toBe(0);
  expect(stderr.trim().split("\n")).toEqual([
    expect.stringMatching(/"reason":".*no store is here.*","failures":1,.*"msg":"the store cannot be read"/),
    expect.stringMatching(/"afterMs":\d+,"msg":"the store can be read again"/),
    expect.stringMatching(/"msg":"stopping"/),
  ]);
});

test("processes with --reuse-port share a port and its connections, and one that ends leaves it to the other", async () => {
  await putWorld(await openStore(directory, { write: true }), Date.parse(AT));
  const port = String(await freePort());
  const metrics = ["127.0.0.1:0", "127.0.0.1:0"];
  const servings = metrics.map((address) => noonmark("serve", "--port", port, "--reuse-port", "--metrics", address));
  for (const serving of servings) await portOf(serving);
  const pages = await Promise.all(servings.map(async (serving) => String((await serving.logged()).url)));
  const ask = async () => (await raw(Number(port), REQUEST)).slice(0, 12);
  const counts = async () => {
    const texts = await Promise.all(pages.map(async (page) => (await fetch(page)).text()));
    return texts.map((text) => Number(/^noonmark_shim_requests_total\{.*process.* (\d+)$/m.exec(text)?.[1] ?? 0));
  };
  // The kernel chooses by a hash of the addresses: a hundred connections all at one process are improbable (2^-99).
  for (let request = 0; request < 100; request++) expect(await ask()).toBe("HTTP/1.1 200");
  const [one = 0, other = 0] = await counts();
  expect(one + other).toBe(100);
  expect(Math.min(one, other)).toBeGreaterThan(0);
  expect((await servings[0]?.ended("SIGTERM"))?.exitCode).toBe(0);
  for (let request = 0; request < 20; request++) expect(await ask()).toBe("HTTP/1.1 200");
});

test("an IPv6 address is printed as a URL that can be opened", async () => {
  const serving = noonmark("serve", "--host", "::1", "--port", "0");
  const [url = ""] = /http:\/\/\[::1\]:\d+/.exec(await serving.printed(/ on http:\/\/\[::1\]:\d+\n/)) ?? [];
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  await serving.ended("SIGTERM");
});
