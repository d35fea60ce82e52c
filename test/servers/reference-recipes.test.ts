/** Runs the recipes of the reference as written, against a published world. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { shimContext } from "../../src/shim/context.ts";
import { respond } from "../../src/shim/respond.ts";
import { type LocalServer, localServer } from "../support/local-server.ts";
import { type FullWorld, fullWorld } from "../verify/support/full-world.ts";

const RECIPES = join(import.meta.dirname, "../../site/reference/recipes");
const run = promisify(execFile);

let full: FullWorld;
let server: LocalServer;
let directory: string;
beforeAll(async () => {
  full = await fullWorld();
  const context = shimContext({ store: full.world.store, now: () => full.at, monotonic: () => 0 });
  server = await localServer(async ({ method = "GET", url = "/", headers }, response) => {
    const {
      status,
      headers: own,
      body,
    } = await respond({ method, url, ifNoneMatch: headers["if-none-match"] }, context);
    response.writeHead(status, own).end(body);
  });
  directory = mkdtempSync(join(tmpdir(), "noonmark-recipes-"));
});
afterAll(async () => {
  await server?.stop();
  full?.world.end();
  rmSync(directory, { recursive: true, force: true });
});

async function output(command: string, recipe: string): Promise<string> {
  const env = { ...process.env, BASE: server.url };
  const { stdout } = await run(command, [join(RECIPES, recipe)], { cwd: directory, env });
  return stdout;
}

test("curl", async () => {
  const lines = (await output("sh", "curl.sh")).trim().split("\n");
  expect(JSON.parse(lines[0] ?? "").status).toBe("online");
  expect(lines.slice(1)).toEqual([
    "first: 200",
    "second: 304",
    "settlements, first: 200",
    "settlements, second: 304",
    "settlements, third: 304",
  ]);
});

test("JavaScript", async () => {
  const lines = (await output(process.execPath, "javascript.mjs")).trim().split("\n");
  expect(lines[0]).toMatch(/ is online$/);
  expect(lines[1]).toMatch(/^settled: [1-9]\d* work units$/);
  expect(Number(lines[2]?.split(" ")[0])).toBeGreaterThan(100);
});

test("Python", async () => {
  const lines = (await output("python3", "python.py")).trim().split("\n");
  expect(lines[0]).toMatch(/^projected block height: [1-9]\d*$/);
  expect(lines[1]).toBe("asked again: 304");
});
