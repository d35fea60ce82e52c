/** A store's directory that is lost, foreign or replaced (docs/incidents.md#store-lost). */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { runCli } from "../../../support/cli.ts";
import { runningCli } from "../../../support/running-cli.ts";
import { testFolder } from "../../../support/test-folder.ts";

let folder: string;
let store: string;
beforeEach(() => {
  folder = testFolder();
  store = join(folder, "public");
});

const PUBLISH = [
  "publish",
  "--installation-id",
  "wheel-1",
  "--ledger",
  "none",
  "--state",
  "state",
  "--store",
  "public",
];
const once = (...flags: string[]) => runCli([...PUBLISH, "--once", ...flags], folder);

test("a store that is gone is not made again on the disk beneath it, until the state is deleted, too", async () => {
  expect((await once()).exitCode).toBe(0);
  rmSync(store, { recursive: true });
  // The empty directory beneath a disk that is not mounted.
  mkdirSync(store);
  const { exitCode, stderr } = await once();
  expect([exitCode, stderr]).toEqual([
    74,
    expect.stringMatching(
      /^noonmark: store_unavailable: \S+: no store is here .*\n {2}.*docs\/incidents.md \(section store-lost\)\n$/,
    ),
  ]);
  expect(readdirSync(store)).toEqual([]);
  const { stdout } = await runCli(["status", ...PUBLISH.slice(1)], folder);
  expect(stdout).toMatch(/^FIX store +store_unavailable: \S+: no store is here /m);
  expect((await once("--store", "other")).exitCode).toBe(0);
  rmSync(join(folder, "state"), { recursive: true });
  expect((await once()).exitCode).toBe(0);
});

test("a running publisher waits for a removed store, and goes on when it is there again", async () => {
  const publisher = runningCli([...PUBLISH, "--cadence", "* * * * * *"], folder);
  await publisher.logged("cycle");
  renameSync(store, join(folder, "copy"));
  expect(await publisher.logged("the store does not respond")).toMatchObject({
    reason: expect.stringContaining("no store is here"),
  });
  const { stdout } = await runCli(["status", ...PUBLISH.slice(1)], folder);
  expect(stdout).toMatch(/^FIX store +store_unavailable: \S+: no store is here /m);
  cpSync(join(folder, "copy"), store, { recursive: true });
  await publisher.logged("the store responds again");
  expect((await publisher.ended("SIGTERM")).exitCode).toBe(0);
  const head = readFileSync(join(store, "private/head.json.http"), "utf8").split("\n\n")[1] ?? "";
  expect(JSON.parse(head)).toMatchObject({ lease: { released: true } });
});

test.each([
  ["the state", ["--state", "public/state"], "the state public/state is inside the store public"],
  ["the state itself", ["--state", "public"], "the state public is inside the store public"],
  ["the ledger", ["--store", ".", "--ledger", "ledger.db"], "the ledger ledger.db is inside the store ."],
])("a store does not contain %s", async (_, flags, message) => {
  const { exitCode, stderr } = await once(...flags);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`noonmark: invalid_setting: ${message}\n`)]);
  expect(existsSync(store)).toBe(false);
});
