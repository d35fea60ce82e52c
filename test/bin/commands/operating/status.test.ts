import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCli } from "../../../support/cli.ts";

let directory: string;
const noonmark = (...words: string[]) => runCli(words, directory);
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "noonmark-status-"));
  const published = await noonmark("publish", "--once", "--quiet", "--installation-id", "wheel-1", "--ledger", "none");
  expect(published.exitCode).toBe(0);
});
afterAll(() => rmSync(directory, { recursive: true }));

test("a person reads the state in one sentence, then each route, sources and lease", async () => {
  const { exitCode, stdout, stderr } = await noonmark("status");
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(
    /^Ended: \S+ process \d+ let the lease go [\d.]+ s ago; 19 answers stand, 2 of them 503\.\n\n/,
  );
  expect(stdout).toMatch(/^route +age +status +next change$/m);
  expect(stdout).toMatch(/^\/v4\/public\/process +[\d.]+ s +200 +with new facts$/m);
  expect(stdout).toMatch(/^ledger +none$/m);
  expect(stdout).toMatch(/^problems +none$/m);
  expect(stderr).toContain("no_genesis: the statistics are 503");
});

test("a machine reads the lease record as before, and the answers", async () => {
  const { stdout } = await noonmark("status", "--json");
  expect(JSON.parse(stdout)).toMatchObject({
    epoch: 1,
    released: true,
    report: { failed: [], failures: [] },
    state: "stopped",
    problems: [],
  });
});

test("the last look at the store counts: what is missing or damaged ends it with 1", async () => {
  rmSync(join(directory, ".noonmark/public/v1/public/modules.http"));
  appendFileSync(join(directory, ".noonmark/public/v4/public/process.http"), "x");
  const { exitCode, stdout } = await noonmark("status");
  expect(exitCode).toBe(1);
  expect(stdout).toContain("; 17 answers stand, 2 of them 503, 2 cannot be read; 2 problems.\n");
  expect(stdout).toMatch(/^problem +\/v1\/public\/modules: missing in the store$/m);
  expect(stdout).toMatch(/^problem +\/v4\/public\/process: v4\/public\/process is damaged: /m);
});
