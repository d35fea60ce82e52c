import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { publicationLines } from "../../../../bin/cli/status/print-publication.ts";
import { joined, publicationOf, silentDevice } from "../../../../bin/cli/status/publication.ts";
import type { LeaseRecord } from "../../../../publish/lease/lease-record.ts";
import type { OperatorStatus } from "../../../../publish/status/private-status.ts";
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
    /^Ended: \S+ process \d+ \(publisher [0-9a-f]{8}\) released the lease [\d.]+ s ago; 19 responses are stored, 2 of them 503\.\n\n/,
  );
  expect(stdout).toMatch(/^route +age +status +next change$/m);
  expect(stdout).toMatch(/^\/v4\/public\/process +[\d.]+ s +200 +with new facts$/m);
  expect(stdout).toMatch(/^ledger +none$/m);
  expect(stdout).toMatch(/^problems +none$/m);
  expect(stderr).toContain("no_genesis: the statistics are 503");
});

test("--json prints the lease record and the responses", async () => {
  const { stdout } = await noonmark("status", "--json");
  expect(JSON.parse(stdout)).toMatchObject({
    epoch: 1,
    released: true,
    report: { failed: [], failures: [] },
    state: "stopped",
    problems: [],
  });
});

test("without the holder's private status the rest is shown", async () => {
  const path = join(directory, ".noonmark/public/private/status.json.http");
  const kept = readFileSync(path);
  rmSync(path);
  const { exitCode, stdout } = await noonmark("status");
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(
    /^Ended: publisher [0-9a-f]{8} released the lease [\d.]+ s ago; 19 responses are stored, 2 of them 503\.\n/,
  );
  writeFileSync(path, kept);
});

const RECORD: LeaseRecord = {
  schemaVersion: 1,
  epoch: 7,
  holder: "5e7f6f3c",
  holderName: "publisher 5e7f6f3c",
  ttlMs: 30_000,
  renewedAt: "2026-11-20T10:00:00.000Z",
  clockSkewMs: null,
  clockMoved: false,
  released: true,
  lastCycleAt: null,
  nextCycleAt: null,
  checkpoint: null,
  report: {},
  public: null,
};

const publication = (record: LeaseRecord, now = 0) => publicationOf("s", { record, responses: [], standby: null }, now);

test("current problems are counted even if the publisher does not list them yet, and past ones are not", () => {
  const operator: OperatorStatus = {
    schemaVersion: 1,
    epoch: 7,
    holder: "5e7f6f3c",
    holderName: "host process 9",
    failed: [{ key: "k", why: "w" }],
  };
  const problems = (count: number) =>
    publication(joined({ ...RECORD, report: { problems: count } }, operator)).problems;
  expect(problems(0)).toEqual([]);
  expect(problems(1)).toEqual(["k: w"]);
  expect(problems(3)).toEqual(["k: w", expect.stringMatching(/^2 more that the publisher has not named yet/)]);
});

test("a node's error that a good pass has followed is not shown for the next outage", () => {
  const chain = {
    status: "silent",
    indexedThroughBlock: null,
    safeThroughBlock: null,
    lastGoodPassAt: "2026-11-20T09:59:00.000Z",
  } as const;
  const sources = { ledger: { status: "followed", newestReceiptAt: null } as const, chain };
  const open = { installationId: "i", log: null, deploymentHash: null, responses: {}, sources };
  const problemsOf = (since: string) =>
    publication({ ...RECORD, report: { sources: { chain: { ...FAILED, since } } }, public: open }).problems;
  expect(problemsOf("2026-11-20T09:50:00.000Z")).toEqual([
    expect.stringContaining("no node has responded as it should since 2026-11-20T09:59:00.000Z"),
  ]);
  expect(problemsOf("2026-11-20T09:59:10.000Z")).toEqual([expect.stringContaining("HTTP 404")]);
});

test("objects that fail for one reason are one problem", () => {
  const failed = ["a", "b", "c"].map((key) => ({ key, why: key === "c" ? "other" : "same" }));
  const { problems } = publication({ ...RECORD, report: { problems: 3, failed } });
  expect(problems).toEqual(["a, b: same", "c: other"]);
});

test("an instant of another machine's clock is no negative age", () => {
  const lines = publicationLines(publication(RECORD), Date.parse(RECORD.renewedAt) - 2_800);
  expect(lines.join("\n")).toContain("released 0.0 s ago");
});

test("a clock that is behind is one problem, although the publisher reports it too", () => {
  const lastCycleAt = "2026-11-20T11:00:00.000Z";
  const failures = [{ code: "clock_behind", message: "telemetry was published later" }];
  const record = { ...RECORD, lastCycleAt, report: { problems: 1, failures } };
  const { problems } = publication(record, Date.parse("2026-11-20T10:00:00.000Z"));
  expect(problems).toEqual([expect.stringMatching(/^clock_behind: the last cycle was published as of /)]);
  // On a machine with the right clock, only the publisher's report has it.
  expect(publication(record, Date.parse(lastCycleAt)).problems).toEqual([
    "clock_behind: telemetry was published later",
  ]);
});

test("a device that was silent for fifteen minutes when the publisher was last seen is a warning, and no problem", () => {
  const chain = {
    status: "disabled",
    indexedThroughBlock: null,
    safeThroughBlock: null,
    lastGoodPassAt: null,
  } as const;
  const warnings = (newestReceiptAt: string | null) => {
    const sources = { ledger: { status: "followed", newestReceiptAt } as const, chain };
    const open = { installationId: "i", log: null, deploymentHash: null, responses: {}, sources };
    const now = Date.parse(RECORD.renewedAt) + 86_400_000;
    return silentDevice(publication({ ...RECORD, public: open }, now), now);
  };
  expect([warnings(null), warnings("2026-11-20T09:45:00.000Z")]).toEqual([[], []]);
  expect(warnings("2026-11-20T09:44:59.999Z")).toMatchObject([
    { code: "device_silent", message: expect.stringContaining("2026-11-20T09:44:59.999Z") },
  ]);
});

const NODE = "https://node.example/…";
const FAILED = { type: "failed", node: NODE, message: "HTTP 404" };
const MISMATCH = { type: "mismatch", node: NODE, check: "chain_id", detail: "the node's chain is 1" };
const STALLED = { type: "stalled", node: NODE, detail: "its head is block 9" };

test.each([
  ["silent", FAILED, `indexer_unavailable: ${NODE}: HTTP 404 (since 10:00). Check rpcUrl`],
  [
    "mismatch",
    MISMATCH,
    `indexer_mismatch: chain_id: the node's chain is 1 (${NODE}) (since 10:00). Look the check up`,
  ],
  [
    "followed",
    MISMATCH,
    `indexer_mismatch: chain_id: the node's chain is 1 (${NODE}) (since 10:00). Look the check up`,
  ],
  ["followed", STALLED, `head_stands_still: ${NODE}: its head is block 9 (since 10:00). Compare its height`],
  ["followed", FAILED, undefined],
  // The node died after the publisher's last report for the operator.
  ["silent", { type: "good" }, "indexer_unavailable: no node has responded as it should. Check rpcUrl"],
] as const)("a chain that is %s and reports %o has its problem named", (status, event, problem) => {
  const chain = { status, indexedThroughBlock: null, safeThroughBlock: null, lastGoodPassAt: null };
  const ledger = { status: "followed", newestReceiptAt: null } as const;
  const record: LeaseRecord = {
    ...RECORD,
    report: { sources: { chain: { ...event, since: "10:00" } } },
    public: {
      installationId: "i",
      log: null,
      deploymentHash: null,
      responses: {},
      sources: { ledger, chain },
    },
  };
  const { problems } = publication(record);
  expect(problems).toEqual(problem === undefined ? [] : [expect.stringContaining(problem)]);
});

test("the other installations are counted with the right number", () => {
  const others = (count: number) =>
    publicationLines(publication({ ...RECORD, report: { others: { count } } }), 0).find((line) =>
      line.startsWith("others"),
    );
  expect(others(1)).toBe("others      1 installation, 0 overdue");
  expect(others(2)).toBe("others      2 installations, 0 overdue");
});

test("a missing or damaged object in the store exits 1", async () => {
  rmSync(join(directory, ".noonmark/public/v1/public/modules.http"));
  appendFileSync(join(directory, ".noonmark/public/v4/public/process.http"), "x");
  const { exitCode, stdout } = await noonmark("status");
  expect(exitCode).toBe(1);
  expect(stdout).toContain("; 17 responses are stored, 2 of them 503, 2 cannot be read; 2 problems.\n");
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
