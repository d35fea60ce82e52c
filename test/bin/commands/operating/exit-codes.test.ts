/** Exit codes match docs/incidents.md: each cell of its table is one run here. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import { beforeEach, expect, test } from "vitest";
import { readHead } from "../../../../publish/head/head.ts";
import { RECORD_TYPES } from "../../../../src/ledger/intake/record-types.ts";
import { openLedgerForIntake } from "../../../../src/ledger/open.ts";
import { FilesystemStore } from "../../../../src/object-store/filesystem/filesystem-store.ts";
import { ingest } from "../../../ledger/ingest.ts";
import type { Json } from "../../../ledger/samples.ts";
import { runCli } from "../../../support/cli.ts";
import { localServer } from "../../../support/local-server.ts";
import { type RunningCli, runningCli } from "../../../support/running-cli.ts";
import { testFolder } from "../../../support/test-folder.ts";

const MANUAL = readFileSync(new URL("../../../../docs/incidents.md", import.meta.url), "utf8");
const SETTINGS = ["--installation-id", "wheel-1", "--ledger", "ledger.db", "--store", "public"];
const PUBLISH = [...SETTINGS, "--state", "state"];
const RENDER = ["--installation-id", "wheel-1", "--ledger", "ledger.db", "--state", "state"];
const RECEIPT = `${JSON.stringify(RECORD_TYPES.receipt.example)}\n`;

let folder: string;
beforeEach(() => {
  folder = testFolder();
});

const exitOf = async (args: readonly string[], input = "") => (await runCli(args, folder, input)).exitCode;

function withLedger(...records: readonly Json[]): void {
  const ledger = openLedgerForIntake(join(folder, "ledger.db"));
  expect(ingest(ledger, [RECORD_TYPES.receipt.example, ...records]).rejected).toBe(0);
  ledger.close();
}

async function published(...flags: string[]): Promise<void> {
  withLedger();
  expect(await exitOf(["publish", "--once", ...PUBLISH, ...flags])).toBe(0);
}

/** A command that keeps running, once it has printed something. */
async function started(...args: string[]): Promise<RunningCli> {
  const running = runningCli(args, folder);
  await running.printed(/"msg":"cycle"|http:\/\/127/);
  return running;
}

const stopped = async (...args: string[]) => (await (await started(...args)).ended("SIGTERM")).exitCode;
const isFile = (name: string) => writeFileSync(join(folder, name), "");

/** A state as a wrong clock would leave it. */
const fromTheFuture = () => published("--at", new Date(Date.now() + 3_600_000).toISOString(), "--force");

const store = () => new FilesystemStore(join(folder, "public"), { write: true });

const CASES: Readonly<Record<string, () => Promise<number | null>>> = {
  "publish 0": async () => {
    withLedger();
    return stopped("publish", ...PUBLISH);
  },
  "publish 1": async () => {
    const { port, stop } = await localServer(() => {});
    const code = await exitOf(["publish", ...PUBLISH, "--metrics", `127.0.0.1:${port}`]);
    await stop();
    return code;
  },
  "publish 2": () => exitOf(["publish", ...PUBLISH, "--cadence", "often"]),
  "publish 74": () => exitOf(["publish", ...PUBLISH]),
  "publish 75": async () => {
    withLedger();
    await started("publish", ...PUBLISH);
    return exitOf(["publish", ...PUBLISH]);
  },
  "publish --once 0": async () => {
    withLedger();
    return exitOf(["publish", "--once", ...PUBLISH]);
  },
  "publish --once 1": async () => {
    await fromTheFuture();
    return exitOf(["publish", "--once", ...PUBLISH]);
  },
  "publish --once 2": () => exitOf(["publish", "--once", "--ledger", "none"]),
  "publish --once 74": () => exitOf(["publish", "--once", ...PUBLISH]),
  "publish --once 75": async () => {
    withLedger();
    await started("publish", ...SETTINGS, "--state", "other");
    return exitOf(["publish", "--once", ...PUBLISH]);
  },
  "serve 0": async () => {
    await published();
    return stopped("serve", "--store", "public", "--port", "0");
  },
  "serve 1": async () => {
    const { port, stop } = await localServer(() => {});
    const code = await exitOf(["serve", "--store", "public", "--port", String(port)]);
    await stop();
    return code;
  },
  "serve 2": () => exitOf(["serve", "--store", "public", "--port", "high"]),
  "serve 74": () => {
    isFile("public");
    return exitOf(["serve", "--store", "public", "--port", "0"]);
  },
  "ingest 0": () => exitOf(["ingest", "--ledger", "ledger.db", "-"], RECEIPT),
  "ingest 1": () => exitOf(["ingest", "--ledger", "ledger.db", "-"], "{}\n"),
  "ingest 2": () => exitOf(["ingest", "--ledger", "none", "-"]),
  "ingest 74": () => exitOf(["ingest", "--ledger", "ledger.db", "missing.ndjson"]),
  "ingest 75": async () => {
    withLedger();
    const writer = new SqliteDatabase(join(folder, "ledger.db"));
    writer.exec("BEGIN IMMEDIATE");
    const code = await exitOf(["ingest", "--ledger", "ledger.db", "-"], RECEIPT);
    writer.close();
    return code;
  },
  "status 0": async () => {
    await published();
    return exitOf(["status", "--store", "public"]);
  },
  "status 1": async () => {
    await published();
    await store().delete("v4/public/process");
    return exitOf(["status", "--store", "public"]);
  },
  "status 2": () => exitOf(["status", "--store", "public", "--max-age", "long"]),
  "fsck 0": async () => {
    await published();
    return exitOf(["fsck", "--store", "public"]);
  },
  "fsck 1": async () => {
    await published();
    await store().delete("v4/public/process");
    return exitOf(["fsck", "--store", "public"]);
  },
  "fsck 2": () => exitOf(["fsck", "--store", "s3:bucket"]),
  "fsck 74": () => {
    isFile("public");
    return exitOf(["fsck", "--store", "public"]);
  },
  "render 0": async () => {
    withLedger();
    return exitOf(["render", "/v9/nothing", ...RENDER]);
  },
  "render 2": () => exitOf(["render", "/v4/public/process", ...RENDER, "--at", "soon"]),
  "render 74": () => exitOf(["render", "/v4/public/process", ...RENDER]),
};

/** For each non-empty cell: its command and exit code, such as `publish 74`. */
function documented(): string[] {
  const [, section = ""] = MANUAL.split("\n## How each command ends\n");
  const rows = section.split("\n## ", 1)[0]?.match(/^\|.*\|$/gm) ?? [];
  const [head = [], , ...body] = rows.map((row) => row.split("|").map((cell) => cell.trim()));
  return body.flatMap((cells) =>
    cells.flatMap((cell, column) =>
      column < 2 || cell === "" ? [] : [`${cells[1]?.replaceAll("`", "")} ${head[column]}`],
    ),
  );
}

test("every cell of the documented table has a run", () => {
  expect(documented().sort()).toEqual(Object.keys(CASES).sort());
});

test.each(Object.entries(CASES))("exit code as documented: %s", async (name, run) => {
  expect(await run()).toBe(Number(name.split(" ").at(-1)));
});

test("a run under a clock that is behind takes no lease, and a publisher on a cadence waits", async () => {
  await fromTheFuture();
  const before = (await readHead(store()))?.head;
  const { stderr } = await runCli(["publish", "--once", ...PUBLISH], folder);
  expect(stderr).toMatch(/noonmark: clock_behind: /);
  const publisher = runningCli(["publish", ...PUBLISH], folder);
  expect(await publisher.logged()).toMatchObject({ msg: "starting" });
  expect(await publisher.logged()).toMatchObject({
    code: "clock_behind",
    hint: expect.stringContaining("noonmark publish --once --accept-clock"),
  });
  expect((await publisher.ended("SIGTERM")).exitCode).toBe(0);
  expect((await readHead(store()))?.head).toEqual(before);
  const { stdout, exitCode } = await runCli(["status", "--store", "public"], folder);
  expect([exitCode, stdout]).toEqual([1, expect.stringContaining("noonmark publish --once --accept-clock")]);
  expect(await exitOf(["publish", "--once", "--accept-clock", ...PUBLISH])).toBe(0);
  expect(await exitOf(["status", "--store", "public"])).toBe(0);
});

test("a signal ends a publisher with 0 although its store is gone, and the log says that the lease expires", async () => {
  withLedger();
  const publisher = await started("publish", ...PUBLISH);
  rmSync(join(folder, "public"), { recursive: true });
  expect((await publisher.ended("SIGTERM")).exitCode).toBe(0);
  expect(publisher.output()).toMatch(
    /"msg":"stopped, but the store does not respond: the lease expires by itself"\}\n$/,
  );
});

test("a refused path is exit code 2 of each command, before anything is read or made", async () => {
  isFile("facts.ndjson");
  const runs: Record<string, readonly string[]> = {
    ledger: ["ingest", "facts.ndjson", "--ledger", " "],
    "line end": ["ingest", "facts.ndjson", "--ledger", "ledger.db\r"],
    file: ["ingest", "facts.ndjson "],
    followed: ["ingest", "--follow", "spool\r"],
    rejects: ["ingest", "facts.ndjson", "--rejects", "rejects "],
    "key file": ["key", "generate", "name", "--out", "log.key "],
    key: ["key", "show", ""],
    demo: ["demo", "demo "],
    config: ["init", "--config", "noonmark.json\r"],
    "place of a log": ["ledger", "restore", "public\t"],
  };
  for (const [what, args] of Object.entries(runs)) {
    const { exitCode, stderr } = await runCli(args, folder, RECEIPT);
    expect
      .soft({ what, exitCode, stderr })
      .toMatchObject({ exitCode: 2, stderr: expect.stringContaining("invalid_setting") });
  }
  expect(readdirSync(folder)).toEqual(["facts.ndjson"]);
});
