import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parseExchanges } from "../../../../src/judge/exchanges/format.ts";
import { openStore } from "../../../../src/object-store/open-store.ts";
import { startCli } from "../../../support/cli.ts";
import { runScript } from "../../../support/scripts/run-http-script.ts";
import { addressTarget, TRANSPORT_HEADERS } from "../../../support/scripts/script-targets.ts";
import { testFolder } from "../../../support/test-folder.ts";
import { putWorld } from "../../../support/world.ts";

const AT = "2026-11-20T10:00:00.000Z";

let directory = "";
const running: ChildProcess[] = [];
beforeEach(() => {
  directory = testFolder();
});
afterEach(async () => {
  for (const child of running.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
  }
});

function noonmark(...args: string[]): ChildProcess {
  const child = startCli(args, directory, { NOONMARK_STORE: directory, NOONMARK_PORT: "0" });
  running.push(child);
  return child;
}

async function serving(child: ChildProcess): Promise<number> {
  if (child.stdout === null) throw new Error("no stdout");
  const line = await Promise.race([
    once(createInterface({ input: child.stdout }), "line").then(([text]) => String(text)),
    once(child, "exit").then(([code]) => `ended with ${code}`),
  ]);
  const port = /^Serving .* on http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1];
  if (port === undefined) throw new Error(line);
  return Number(port);
}

test("serves a directory as of --at, ends on SIGTERM, and says nothing of single requests", async () => {
  const store = await openStore(directory, { write: true });
  await putWorld(store, Date.parse(AT));
  const child = noonmark("serve", "--at", "2026-11-20T10:02:00.001Z");
  let stderr = "";
  child.stderr?.on("data", (text) => {
    stderr += String(text);
  });
  const port = await serving(child);
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
    "vary",
  ]);
  expect(await runScript(script, target)).toMatchObject({ differences: [], requests: 3 });
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
  const lines = stderr.trim().split("\n");
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ msg: "stopping", signal: "SIGTERM" });
});

test("a missing store is 503 and one line in the log, for any number of requests", async () => {
  const child = noonmark("serve", "--store", join(directory, "nowhere"));
  let stderr = "";
  child.stderr?.on("data", (text) => {
    stderr += String(text);
  });
  const port = await serving(child);
  // Said at the start, once, before anybody asks.
  const isSaid = () => stderr !== "";
  while (!isSaid()) await once(child.stderr ?? child, "data");
  expect(stderr).toMatch(/"msg":"the store cannot be read"/);
  const answers = await Promise.all(
    ["/v4/public/process", "/v1/public/telemetry", "/readyz"].map((path) => fetch(`http://127.0.0.1:${port}${path}`)),
  );
  expect(answers.map(({ status }) => status)).toEqual([503, 503, 503]);
  expect(await answers[2]?.json()).toEqual({ error: "store_unavailable" });
  child.kill("SIGINT");
  expect(await once(child, "exit")).toEqual([0, null]);
  expect(stderr.trim().split("\n")).toEqual([
    expect.stringMatching(/"reason":".*no store is here.*","before":0,"msg":"the store cannot be read"/),
    expect.stringMatching(/"msg":"stopping"/),
  ]);
});

/** The lines of its log, one for each call. */
function logOf(child: ChildProcess): () => Promise<Record<string, unknown>> {
  if (child.stderr === null) throw new Error("no stderr");
  const lines = createInterface({ input: child.stderr })[Symbol.asyncIterator]();
  return async () => JSON.parse((await lines.next()).value ?? "null") as Record<string, unknown>;
}

function isRunning(pid: unknown): boolean {
  try {
    return process.kill(Number(pid), 0);
  } catch {
    return false;
  }
}

test("a dead worker is started again, and a stop ends all workers in order", async () => {
  await putWorld(await openStore(directory, { write: true }), Date.parse(AT));
  const child = noonmark("serve", "--workers", "2");
  const log = logOf(child);
  const port = await serving(child);
  const listening = { msg: "a worker listens" };
  const [first, second] = [await log(), await log()];
  expect([first, second]).toMatchObject([listening, listening]);
  process.kill(Number(first.pid), "SIGKILL");
  expect(await log()).toMatchObject({
    msg: "a worker has ended",
    pid: first.pid,
    signal: "SIGKILL",
    startedAgainInMs: 100,
  });
  const third = await log();
  expect(third).toMatchObject(listening);
  // In turn: each of the two is asked, and one that has not closed its connections would not end.
  const answers = await Promise.all(
    ["/readyz", "/readyz", "/healthz", "/v1/public/telemetry"].map((path) => fetch(`http://127.0.0.1:${port}${path}`)),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  child.kill("SIGTERM");
  expect(await once(child, "exit")).toEqual([0, null]);
  expect(await log()).toMatchObject({ msg: "stopping", signal: "SIGTERM" });
  expect(await log()).toBeNull();
  expect([second, third].map(({ pid }) => isRunning(pid))).toEqual([false, false]);
  await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow();
});

test("workers without a store are not ready, and end if their primary is killed", async () => {
  const child = noonmark("serve", "--workers", "2", "--store", join(directory, "nowhere"));
  const log = logOf(child);
  const port = await serving(child);
  const said = [await log(), await log(), await log()];
  expect(said.map(({ msg }) => msg).toSorted()).toEqual([
    "a worker listens",
    "a worker listens",
    "the store cannot be read",
  ]);
  const answers = await Promise.all(["/readyz", "/readyz"].map((path) => fetch(`http://127.0.0.1:${port}${path}`)));
  expect(answers.map(({ status }) => status)).toEqual([503, 503]);
  child.kill("SIGKILL");
  // Its output is closed when the last process that has it is gone.
  await once(child, "close");
  await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow();
});

test("a used port and an invalid instant are reported in one line, without a stack", async () => {
  const first = noonmark("serve");
  const port = await serving(first);
  for (const [args, code, message] of [
    [["--port", String(port)], 1, /^noonmark: port_in_use: .*\n {2}\S.*\n$/],
    [["--workers", "2", "--port", String(port)], 1, /^noonmark: port_in_use: .*\n {2}\S.*\n$/],
    [["--at", "yesterday"], 2, /^noonmark: invalid_instant: .*\n {2}\S.*\n$/],
    [["--host", "127.0.0.256"], 2, /^noonmark: invalid_setting: .*\n {2}\S.*\n$/],
    [["--port", "70000"], 2, /^noonmark: invalid_setting: .*\n {2}\S.*\n$/],
  ] as const) {
    const child = noonmark("serve", ...args);
    let stderr = "";
    child.stderr?.on("data", (text) => {
      stderr += String(text);
    });
    const [exit] = await once(child, "close");
    expect([exit, stderr]).toEqual([code, expect.stringMatching(message)]);
  }
});

test.each([[[]], [["--workers", "2"]]])("an IPv6 address is printed as a URL that can be opened, %s", async (more) => {
  const child = noonmark("serve", "--host", "::1", "--port", "0", ...more);
  let stdout = "";
  child.stdout?.on("data", (text) => (stdout += String(text)));
  await expect.poll(() => stdout, { timeout: 30_000 }).toMatch(/ on http:\/\/\[::1\]:\d+\n/);
  const [url = ""] = /http:\S+/.exec(stdout) ?? [];
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  child.kill("SIGTERM");
  await once(child, "exit");
});
