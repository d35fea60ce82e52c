import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { type BigIntStats, closeSync, fstatSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { packageVersion } from "../../../src/files/package-file.ts";
import { PROGRAM, runCli } from "../../support/cli.ts";
import { stop } from "../../support/processes.ts";
import { followed, type RunningCli, runningCli } from "../../support/running-cli.ts";
import { configuredFolder } from "../../support/test-folder.ts";

const PUBLISH = ["publish", "--installation-id", "wheel-1", "--ledger", "none"];
const CTRL_C = "\u0003";
const INSTANT = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`;

let directory = "";
beforeEach(() => {
  directory = configuredFolder();
});

/** Runs a command on a pseudo-terminal that receives both outputs and sends Ctrl-C. */
function onTerminal(args: readonly string[], env: NodeJS.ProcessEnv = {}): RunningCli {
  const command = [process.execPath, PROGRAM, ...args].map((word) => `'${word}'`).join(" ");
  // No shell in between, because Ctrl-C would end it too. CI is unset, because Node shows no colours on an unknown CI.
  const child = spawn("script", ["-qec", `exec ${command}`, "/dev/null"], {
    cwd: directory,
    env: { ...process.env, CI: undefined, TERM: "xterm-256color", ...env },
  });
  onTestFinished(() => stop(child));
  return followed(child);
}

/** Returns the whole output. Ctrl-C or a signal is sent after `seen` is printed. */
async function printed(running: RunningCli, seen: string, signal?: NodeJS.Signals): Promise<string> {
  await running.printed(seen);
  if (signal === undefined) running.process.stdin?.write(CTRL_C);
  await running.ended(signal);
  return running.output();
}

test("on a terminal the log is readable text: ISO time, level, message and fields", async () => {
  const child = onTerminal(PUBLISH, { NO_COLOR: "1" });
  const lines = (await printed(child, "cycle")).split("\r\n");
  expect(child.process.exitCode).toBe(0);
  expect(lines[0]).toMatch(new RegExp(`^\\[${INSTANT}\\] INFO: starting \\{"version":.*\\}$`));
  expect(lines[1]).toMatch(new RegExp(`^\\[${INSTANT}\\] INFO: publishing \\{"epoch":\\d+,"store":".*"\\}$`));
  expect(lines[2]).toMatch(
    new RegExp(`^\\[${INSTANT}\\] INFO: cycle \\{"at":"${INSTANT}","cycles":1,"put":\\d+,"keys":\\[.*\\]\\}$`),
  );
  expect(lines.at(-2)).toMatch(new RegExp(`^(?:\\^C)?\\[${INSTANT}\\] INFO: stopped$`));
});

test("in a pipe the log is JSON with an ISO time and a level name, and a closed terminal stops a publisher like SIGTERM", async () => {
  const child = runningCli(PUBLISH, directory);
  const text = await printed(child, "cycle", "SIGHUP");
  expect({ code: child.process.exitCode, signal: child.process.signalCode }).toEqual({ code: 0, signal: null });
  const lines = text.trim().split("\n");
  const records = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(records.map(({ msg }) => msg)).toEqual(["starting", "publishing", "cycle", "stopped"]);
  expect(records[0]).toMatchObject({
    version: packageVersion(),
    installation: "wheel-1",
    ledger: "none",
    chain: "none",
    store: ".noonmark/public",
    config: "noonmark.json",
  });
  for (const { level, time } of records) {
    expect(level).toBe("info");
    expect(time).toMatch(new RegExp(`^${INSTANT}$`));
  }
});

test("a fatal failure is the last line of a publisher's JSON log, and no plain text follows", async () => {
  writeFileSync(join(directory, "state"), "a file, not a directory");
  const { exitCode, stdout, stderr } = await runCli([...PUBLISH, "--state", "state"], directory);
  expect([exitCode, stdout]).toEqual([74, ""]);
  const records = stderr
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(records.map(({ level }) => level)).toEqual(["info", "fatal"]);
  expect(records.at(-1)).toMatchObject({
    code: "state_unusable",
    msg: expect.stringContaining(`${join(directory, "state")} is a file, and no directory`),
    hint: expect.stringContaining("Name another path"),
  });
});

test("only under journald does each line begin with its priority", async () => {
  writeFileSync(join(directory, "state"), "a file, not a directory");
  const path = join(directory, "journal");
  const args = [PROGRAM, ...PUBLISH, "--state", "state"];
  const printedTo = async (stream: (file: BigIntStats) => string) => {
    const file = openSync(path, "w");
    const JOURNAL_STREAM = stream(fstatSync(file, { bigint: true }));
    const env = { ...process.env, JOURNAL_STREAM };
    const child = spawn(process.execPath, args, { cwd: directory, env, stdio: ["ignore", "ignore", file] });
    await once(child, "exit");
    closeSync(file);
    return readFileSync(path, "utf8")
      .trim()
      .split("\n")
      .map((line) => line.slice(0, 4));
  };
  expect(await printedTo(({ dev, ino }) => `${dev}:${ino}`)).toEqual(["<6>{", "<2>{"]);
  expect(await printedTo(() => "1:1")).toEqual(['{"le', '{"le']);
});

test("one run with --quiet prints only failures", async () => {
  const once = [...PUBLISH, "--once", "--quiet", "--genesis-timestamp", "0"];
  expect(await runCli(once, directory)).toEqual({ exitCode: 0, stdout: "", stderr: "" });
  const child = onTerminal(once);
  await child.ended();
  expect(child.output()).toBe("");
  const failed = await runCli([...once, "--ledger", "none/such"], directory);
  expect(failed).toMatchObject({ exitCode: 74, stdout: "" });
  expect(failed.stderr).toMatch(/^noonmark: ledger_/);
});

test("ingest --quiet prints counts only if a line is rejected", async () => {
  const { stdout: line } = await runCli(["ingest", "--example", "receipt"], directory);
  const ingest = ["ingest", "--quiet", "-"];
  expect(await runCli(ingest, directory, line)).toEqual({ exitCode: 0, stdout: "", stderr: "" });
  const { exitCode, stdout, stderr } = await runCli(ingest, directory, `${line}{}\n`);
  expect({ exitCode, stdout }).toEqual({
    exitCode: 1,
    stdout: expect.stringMatching(/^0 accepted, 1 duplicate, 1 rejected; ledger \//),
  });
  expect(stderr).not.toBe("");
});

test.each([["--quiet"], ["--json"], ["--force"], ["--at", "2026-11-20T10:00:00Z"]])(
  "%s is rejected without --once",
  async (...flag) => {
    const { exitCode, stderr } = await runCli([...PUBLISH, ...flag], directory);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(`noonmark: usage: ${flag[0]} needs --once`);
  },
);

test("no message of the log is a command to a terminal, or a second line", () => {
  const script = `
    import { createLog } from ${JSON.stringify(join(import.meta.dirname, "../../../bin/cli/log.ts"))};
    for (const logFormat of ["pretty", "json"]) {
      (await createLog({ logLevel: "info", logFormat })).warn({ field: "c\\u001b[31m" }, "a\\u001b[2J\\nb");
    }`;
  const { stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  expect(stderr.split("\n")).toEqual([
    expect.stringMatching(/WARN: a\\u001b\[2J\\u000ab \{/),
    expect.stringContaining('"msg":"a\\\\u001b[2J\\\\u000ab"'),
    "",
  ]);
});
