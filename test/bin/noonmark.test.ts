/** The built program: what it loads, and that it runs from any location. */
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { beforeEach, expect, test } from "vitest";
import { PROGRAM, runCli } from "../support/cli.ts";
import { configuredFolder } from "../support/test-folder.ts";

let home: string;
beforeEach(() => {
  home = configuredFolder();
});

function run(args: readonly string[], program = [PROGRAM]) {
  const env = { PATH: process.env.PATH, HOME: home, AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b" };
  const { status, stdout, stderr } = spawnSync(process.execPath, [...program, ...args], {
    cwd: home,
    env,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

/** The files that a command line loads, in the order of loading. */
function loaded(...args: string[]): string {
  const hook = `import { registerHooks } from "node:module";
    registerHooks({ load: (url, context, next) => (process.stderr.write(url + "\\n"), next(url, context)) });`;
  return run(args, ["--import", `data:text/javascript,${encodeURIComponent(hook)}`, PROGRAM]).stderr;
}

test("--version and --help load no command", () => {
  for (const flag of ["--version", "--help"]) {
    const files = loaded(flag);
    expect(files).toContain("/dist/bin/main.js");
    expect(files).not.toMatch(/\/zod\/|\/dist\/bin\/commands\/\w+\//);
  }
});

test("publish into a directory does not load the logger, metrics, S3 SDK, viem or chain reader", () => {
  const files = loaded("publish", "--once", "--installation-id", "wheel-1", "--store", "store");
  expect(files).toContain("/dist/publish/cycle.js");
  expect(files).not.toMatch(/node_modules\/(?:pino|viem|@prometheus-io|@aws-sdk)\/|\/dist\/src\/chain\/sync\/pass\.js/);
});

test("every command prints its help", async () => {
  const { stdout } = run(["--help"]);
  const commands = [...stdout.matchAll(/^ {2}([a-z]+) {2,}\S/gm)].map(([, name = ""]) => name);
  expect(commands).toContain("publish");
  for (const name of commands) expect((await runCli([name, "--help"], home)).stdout).toContain(`noonmark ${name}`);
});

test("help of an unknown command names it, without the whole help", async () => {
  expect(await runCli(["help", "publisch"], home)).toMatchObject({
    stdout: "",
    stderr: expect.stringMatching(/^noonmark: usage: unknown command 'publisch'\n.*\n$/),
  });
});

test("a run writes nothing to the user's home directory", () => {
  expect(run(["status", "--settings"])).toMatchObject({ status: 0, stderr: "" });
  expect(readdirSync(home)).toEqual(["noonmark.json"]);
});
