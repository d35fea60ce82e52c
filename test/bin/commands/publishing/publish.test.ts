import { readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { StateDirectory } from "../../../../publish/state-directory.ts";
import { runCli } from "../../../support/cli.ts";
import { configuredFolder } from "../../../support/test-folder.ts";

describe("noonmark publish, before and alongside other runs", () => {
  let directory: string;
  beforeEach(() => {
    directory = configuredFolder();
  });
  const publish = (...flags: string[]) =>
    runCli(["publish", "--installation-id", "wheel-1", "--ledger", "none", ...flags], directory);

  test.each([
    [
      ["--cadence", "every second"],
      2,
      'invalid_setting: cadence "every second" is no cron pattern that matches a date',
    ],
    [
      ["--deployment", "d.json", "--rpc-url", "http://127.0.0.1:1"],
      74,
      "file_unreadable: d.json cannot be read: ENOENT: no such file or directory, open 'd.json'",
    ],
  ])("%j changes nothing", async (flags, exitCode, message) => {
    const refused = await publish("--once", ...flags);
    expect(refused).toMatchObject({ exitCode, stdout: "" });
    expect(refused.stderr).toContain(`noonmark: ${message}\n`);
    expect(readdirSync(directory)).toEqual(["noonmark.json"]);
  });

  test("a run prints one line in a pipe and none with --quiet, and explains 503 statistics", async () => {
    const first = await publish("--once");
    expect(first.exitCode).toBe(0);
    expect(first.stdout).toMatch(/^as of \S+Z: \d+ created, 0 updated, 0 unchanged, 0 failed\n$/);
    expect(first.stderr).toContain("warning: no_genesis: the statistics are 503: the start of round 0 is unknown\n");
    const second = await publish("--once", "--quiet", "--genesis-timestamp", "0");
    expect(second).toEqual({ exitCode: 0, stdout: "", stderr: "" });
  });

  test("a run as of an instant before the published one is refused, and blames no clock", async () => {
    await publish("--once");
    const tried = await publish("--once", "--at", "2026-01-01T00:00:00Z");
    expect(tried).toMatchObject({ exitCode: 1, stdout: "" });
    expect(tried.stderr).toContain("noonmark: at_before_published: 2026-01-01T00:00:00.000Z is before ");
    expect(tried.stderr).not.toMatch(/NTP|this clock/);
  });

  test("a state directory in use is reported with its user and the time", async () => {
    const state = StateDirectory.open(join(directory, ".noonmark/state"));
    try {
      const locked = await publish("--once");
      expect(locked).toMatchObject({ exitCode: 75, stdout: "" });
      expect(locked.stderr).toMatch(
        new RegExp(`^noonmark: state_locked: \\S+ process ${process.pid} \\(since \\S+Z\\) uses the state directory `),
      );
    } finally {
      state.close();
    }
  });
});
