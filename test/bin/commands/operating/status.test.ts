import { appendFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { publicationOf, silentDevice } from "../../../../bin/cli/status/publication.ts";
import { firstHead, type Head } from "../../../../publish/head/head.ts";
import { runCli } from "../../../support/cli.ts";
import { configuredFolder, sharedFolder } from "../../../support/test-folder.ts";

const directory = sharedFolder();
writeFileSync(join(directory, "noonmark.json"), "{}\n");
const noonmark = (...words: string[]) => runCli(words, directory);
beforeAll(async () => {
  const published = await noonmark("publish", "--once", "--quiet", "--installation-id", "wheel-1", "--ledger", "none");
  expect(published.exitCode).toBe(0);
});

test("status prints the state in one sentence, then each route, the sources and the lease", async () => {
  const { exitCode, stdout, stderr } = await noonmark("status");
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(
    /^Ended: publisher [0-9a-f]{8} released the lease [\d.]+ s ago; \d+ responses are stored, 2 of them 503\.\n\n/,
  );
  expect(stdout).toMatch(/^route +age +status +next change$/m);
  expect(stdout).toMatch(/^\/v4\/public\/process +[\d.]+ s +200 +with new facts$/m);
  expect(stdout).toMatch(/^ledger +none$/m);
  expect(stdout).toMatch(/^problems +none$/m);
  expect(stderr).toContain("no_genesis: the statistics are 503");
});

test("--json prints the head's facts and the responses", async () => {
  const { stdout } = await noonmark("status", "--json");
  expect(JSON.parse(stdout)).toMatchObject({
    state: "stopped",
    installationId: "wheel-1",
    released: true,
    log: { size: 0, form: "private" },
    unfinished: 0,
    problems: [],
  });
});

const publication = (changed: Partial<Head>, now = 0) =>
  publicationOf("s", { head: { ...firstHead("wheel-1", "private"), ...changed }, responses: [] }, now);

test("each problem of the head has its count, its meaning and its cure", () => {
  expect(publication({}).problems).toEqual([]);
  const problems: Head["problems"] = [
    ["ledger_behind", 1],
    ["internal_error", 3],
  ];
  expect(publication({ problems }).problems).toEqual([
    expect.stringMatching(/^ledger_behind: The ledger has fewer facts than were published\. .*noonmark ledger restore/),
    expect.stringMatching(/^internal_error \(3 times\): /),
  ]);
});

test("a clock that is behind is one problem, although the publisher reports it too", () => {
  const at = Date.parse("2026-11-20T11:00:00.000Z");
  const changed: Partial<Head> = { at, problems: [["clock_behind", 1]] };
  const behind = publication(changed, Date.parse("2026-11-20T10:00:00.000Z"));
  expect(behind.problems).toEqual([expect.stringMatching(/^clock_behind: the last cycle was published as of /)]);
  // On a machine with the right clock, only the publisher's report has it.
  expect(publication(changed, at).problems).toEqual([
    expect.stringMatching(/^clock_behind: The last cycle was published as of a later time than this clock's\. /),
  ]);
});

test("a device that was silent for fifteen minutes when the publisher was last seen is a warning, and no problem", () => {
  const renewedAt = Date.parse("2026-11-20T10:00:00.000Z");
  const warnings = (newestReceiptAt: string | null) => {
    const { lease, sources } = firstHead("wheel-1", "private");
    const now = renewedAt + 86_400_000;
    const changed = {
      lease: { ...lease, renewedAt },
      sources: { ...sources, ledger: { status: "followed", newestReceiptAt } as const },
    };
    return silentDevice(publication(changed, now), now);
  };
  expect([warnings(null), warnings("2026-11-20T09:45:00.000Z")]).toEqual([[], []]);
  expect(warnings("2026-11-20T09:44:59.999Z")).toMatchObject([
    { code: "device_silent", message: expect.stringContaining("2026-11-20T09:44:59.999Z") },
  ]);
});

test("a missing or damaged object in the store exits 1", async () => {
  rmSync(join(directory, ".noonmark/public/v1/public/modules.http"));
  appendFileSync(join(directory, ".noonmark/public/v4/public/process.http"), "x");
  const { exitCode, stdout } = await noonmark("status");
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/; \d+ responses are stored, 2 of them 503, 2 cannot be read; 2 problems\.\n/);
  expect(stdout).toMatch(/^problem +\/v1\/public\/modules: missing in the store$/m);
  expect(stdout).toMatch(/^problem +\/v4\/public\/process: v4\/public\/process is damaged: /m);
});

test("--settings prints each effective value with its unit and origin, and no secret", async () => {
  const folder = configuredFolder();
  const file = '{ "installationId": "wheel-1", "deployment": "d.json", "rpcUrl": "https://node.example/v2/key" }';
  writeFileSync(join(folder, "noonmark.json"), file);
  const { exitCode, stdout } = await runCli(["status", "--settings", "--s3-region", "auto"], folder);
  expect(exitCode).toBe(0);
  expect(stdout).not.toContain("key");
  const lines = stdout.split("\n").map((line) => line.split(/ {2,}/));
  expect(lines).toContainEqual(["installationId", '"wheel-1"', "noonmark.json"]);
  expect(lines).toContainEqual(["s3Region", '"auto"', "--s3-region"]);
  expect(lines).toContainEqual(["chainMaxAge", "600 seconds", "default"]);
  expect(lines).toContainEqual(["ledger", '".noonmark/ledger.db"', "default"]);
  expect(lines).toContainEqual(["genesisTimestamp", "not set", "default"]);
  expect(lines).toContainEqual(["rpcUrl", "set, and not shown", "noonmark.json"]);

  const json = await runCli(["status", "--settings", "--json", "--store", "x"], folder);
  expect(JSON.parse(json.stdout)).toContainEqual({ name: "store", value: "x", unit: null, origin: "--store" });
});
