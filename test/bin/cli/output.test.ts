/** The output of each command reaches stdout, or the command says so. */
import { spawnSync } from "node:child_process";
import { closeSync, existsSync, globSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cliEnvironment, PROGRAM, runProcess } from "../../support/cli.ts";
import { testFolder } from "../../support/test-folder.ts";

const ROOT = join(import.meta.dirname, "../../..");

const COMMANDS: readonly (readonly string[])[] = [
  ["--help"],
  ["--version"],
  ["help", "ingest"],
  ["key", "generate", "wheel.example.org"],
  ["init"],
  ["status", "--settings"],
  ["ingest", "--example", "receipt"],
  ["ingest", "-"],
  ["ledger", "export"],
  ["render", "/v1/public/telemetry"],
  ["render", "/v1/public/telemetry", "--body"],
];

/** A folder with a ledger of one fact. */
async function folderWithLedger(): Promise<{ readonly folder: string; readonly env: Record<string, string> }> {
  const folder = testFolder();
  const env = {
    NOONMARK_INSTALLATION_ID: "wheel-1",
    NOONMARK_LEDGER: join(folder, "ledger.db"),
    NOONMARK_STORE: join(folder, "store"),
    NOONMARK_STATE: join(folder, "state"),
  };
  const { stdout } = await runProcess(["ingest", "--example", "receipt"], folder);
  await runProcess(["ingest", "-"], folder, stdout, env);
  return { folder, env };
}

test.runIf(existsSync("/dev/full"))(
  "output that cannot be written is output_unwritable, for every command",
  async () => {
    const { env } = await folderWithLedger();
    const full = openSync("/dev/full", "w");
    for (const given of COMMANDS) {
      const { status, stderr } = spawnSync(process.execPath, [PROGRAM, ...given], {
        cwd: testFolder(),
        env: cliEnvironment(env),
        stdio: ["ignore", full, "pipe"],
        encoding: "utf8",
      });
      expect({ given, status, stderr }).toMatchObject({
        status: 74,
        stderr: expect.stringContaining("noonmark: output_unwritable: stdout cannot be written: ENOSPC"),
      });
    }
    closeSync(full);
  },
);

test("a closed pipe ends quietly, for every command", async () => {
  const { env } = await folderWithLedger();
  for (const given of COMMANDS) {
    const line = ["-c", 'set -o pipefail; "$@" | true', "--", process.execPath, PROGRAM, ...given];
    const { status, stderr } = spawnSync("bash", line, {
      cwd: testFolder(),
      env: cliEnvironment(env),
      encoding: "utf8",
    });
    expect({ given, status, stderr }).toMatchObject({
      status: 0,
      stderr: expect.not.stringMatching(/EPIPE|node:|\n +at /),
    });
  }
});

test("only one module writes on stdout", () => {
  const files = globSync("bin/**/*.ts", { cwd: ROOT }).filter((file) =>
    /console\.(?:log|info)|stdout\.write/.test(readFileSync(join(ROOT, file), "utf8")),
  );
  expect(files).toEqual(["bin/cli/messages.ts"]);
});
