/** The program as it is installed: what of its compiled code it keeps, and that nobody notices where it cannot. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

const PROGRAM = join(import.meta.dirname, "../../bin/noonmark.js");
const PLAIN = { PATH: process.env.PATH };

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "noonmark-home-"));
});
afterEach(() => {
  rmSync(home, { recursive: true });
});

/** What a run prints, having said nothing on stderr. */
function run(environment: NodeJS.ProcessEnv): string {
  const env = { ...PLAIN, HOME: home, ...environment };
  const { stdout, stderr } = spawnSync(process.execPath, [PROGRAM, "schema", "config"], {
    cwd: home,
    env,
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  return stdout;
}

test("compiled code is kept in the user's cache, wherever that is", () => {
  const version = run({});
  expect(readdirSync(join(home, ".cache/noonmark"))).not.toEqual([]);
  expect(run({})).toBe(version);
  run({ XDG_CACHE_HOME: join(home, "elsewhere") });
  expect(readdirSync(join(home, "elsewhere/noonmark"))).not.toEqual([]);
});

test("NODE_COMPILE_CACHE names another directory", () => {
  run({ NODE_COMPILE_CACHE: join(home, "named") });
  expect(readdirSync(join(home, "named"))).not.toEqual([]);
  expect(readdirSync(home)).toEqual(["named"]);
});

test("NODE_DISABLE_COMPILE_CACHE leaves no file", () => {
  run({ NODE_DISABLE_COMPILE_CACHE: "1" });
  expect(readdirSync(home)).toEqual([]);
});

test("where nothing can be kept nothing is said", () => {
  writeFileSync(join(home, "file"), "");
  const version = run({ NODE_DISABLE_COMPILE_CACHE: "1" });
  expect(run({ XDG_CACHE_HOME: join(home, "file") })).toBe(version);
  expect(run({ HOME: join(home, "file") })).toBe(version);
  expect(run({ HOME: "" })).toBe(version);
  expect(run({ HOME: "", XDG_CACHE_HOME: "." })).toBe(version);
  expect(readdirSync(home)).toEqual(["file"]);
});
