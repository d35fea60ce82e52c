/** The command as a user runs it, against a local server. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { shimContext } from "../../src/shim/context.ts";
import { nodeHandler } from "../../src/shim/node/node-handler.ts";
import { runCli } from "../support/cli.ts";
import { type LocalServer, localServer } from "../support/local-server.ts";
import { runningCli } from "../support/running-cli.ts";
import { type FullWorld, fullWorld } from "./support/full-world.ts";

let full: FullWorld;
let server: LocalServer;
/** Arrival times of the requests, by `performance.now()`. */
const came: number[] = [];

let isBroken = false;
let onCome = () => {};

beforeAll(async () => {
  full = await fullWorld();
  const context = shimContext({ store: full.world.store, now: () => full.at, monotonic: () => performance.now() });
  const handler = nodeHandler(context, { defect: (error) => expect.unreachable(String(error)) });
  server = await localServer((request, response) => {
    came.push(performance.now());
    onCome();
    // The world's own time, because it was published long ago.
    response.setHeader("date", new Date(full.at).toUTCString());
    if (isBroken && request.url === "/v1/public/modules") response.end("<html>");
    else handler(request, response);
  });
});
afterAll(async () => {
  await server?.stop();
  full?.world.end();
});

const FAST = ["--qps", "500", "--only", "modules"];

test("no finding exits 0, the last line has the counts, and --qps limits the requests", async () => {
  came.length = 0;
  const { exitCode, stdout, stderr } = await runCli(
    ["verify", server.url, "--only", "modules", "--qps", "40"],
    full.world.folder,
  );
  expect(stdout).toMatch(/^\d+ checks, 0 findings, \d+ skipped\n$/);
  expect([exitCode, stderr]).toEqual([0, ""]);
  expect(came.length).toBeGreaterThan(40);
  // A busy machine may receive several at once; pace.test.ts checks each second.
  const [first = 0, last = 0] = [came[0], came.at(-1)];
  expect(last - first).toBeGreaterThan((came.length - 1) * (1_000 / 40) * 0.8);
});

test.each([
  ["a page for every path", 200, "<html>"],
  ["its own 404", 404, '{"error":"not_found"}'],
])("another program's server, with %s, is one finding after a request to each route", async (_, status, body) => {
  let requests = 0;
  const other = await localServer((_request, response) => {
    requests++;
    response.writeHead(status).end(body);
  });
  try {
    const { exitCode, stdout } = await runCli(["verify", other.url], full.world.folder);
    expect([exitCode, stdout]).toEqual([
      1,
      expect.stringMatching(/^FAIL exchange\/api every route\n[^]*\n1 checks, 1 findings, 0 skipped\n$/),
    ]);
    expect(requests).toBeLessThan(20);
  } finally {
    await other.stop();
  }
});

test("a finding exits 1 with its request, and --json has its parts", async () => {
  isBroken = true;
  const [people, machines] = await Promise.all([
    runCli(["verify", server.url, ...FAST], full.world.folder),
    runCli(["verify", `${server.url}/`, ...FAST, "--json"], full.world.folder),
  ]);
  isBroken = false;
  expect(people.exitCode).toBe(1);
  expect(people.stdout).toMatch(/^FAIL headers\/cors GET \/v1\/public\/modules\n {2}expected .*\n {2}seen {5}none$/m);
  expect(machines.exitCode).toBe(1);
  const { checks, findings, skipped } = JSON.parse(machines.stdout) as Record<string, Record<string, string>[]>;
  expect(checks).toBeGreaterThan(100);
  expect(skipped).toEqual(expect.any(Array));
  expect(findings?.find(({ rule }) => rule === "headers/cors")).toEqual({
    rule: "headers/cors",
    request: "GET /v1/public/modules",
    expected: expect.any(String),
    seen: "none",
    asserts: expect.any(String),
    clause: "docs/spec/api.md#http",
  });
});

test("a run that gets a signal prints its findings and exits 1", async () => {
  isBroken = true;
  came.length = 0;
  const many = Promise.withResolvers<void>();
  onCome = () => {
    if (came.length === 100) many.resolve();
  };
  const { ended } = runningCli(["verify", server.url, "--qps", "500"], full.world.folder);
  await many.promise;
  const { exitCode, stdout } = await ended("SIGINT");
  isBroken = false;
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/^SKIP the rest: the run was cut off: it got SIGINT; not judged to the end: .*kept, watch$/m);
  expect(stdout).toMatch(/^\d+ checks, [1-9]\d* findings, \d+ skipped\n$/m);
});
