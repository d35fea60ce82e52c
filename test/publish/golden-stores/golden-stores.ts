/**
 * `npm run golden` records the contents of the World tests' stores after each cycle, and compares them with another
 * tree's. It prints every difference with test, cycle and key, and then exits 1 (see CONTRIBUTING.md).
 */
import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { RecordedCycle } from "./recorder.ts";

const ROOT = join(import.meta.dirname, "../../..");
const FOLDERS = ["test/publish", "test/fsck", "test/resources/feed"];
/** Models check the random worlds instead. */
const RANDOM_WORLDS = /^test\/publish\/random-/;
/** Maximum number of differences that are printed in full. */
const PRINTED_DIFFERENCES = 50;

/** By test file and test: the lines of each cycle, starting with the cycle's name. */
type Recording = Map<string, readonly (readonly string[])[]>;

try {
  process.exitCode = main();
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 2;
}

/** Throws an error whose message says what is wrong with the arguments. */
function main(): number {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { into: { type: "string" }, against: { type: "string" } },
  });
  const { into, against } = values;
  if (into === undefined) {
    throw new Error("--into is missing: give a directory for what the tests store, and --against another tree's.");
  }
  // The files of the directory are deleted, so they must be a recording.
  const others = existsSync(into) ? readdirSync(into).filter((name) => !/^objects$|\.ndjson$/.test(name)) : [];
  if (others.length > 0)
    throw new Error(`--into: ${into} has ${others[0]}, which is no recording: give a new directory.`);
  const wanted = against === undefined ? undefined : read(against);
  record(into, positionals);
  const recorded = read(into);
  const cycles = [...recorded.values()].reduce((sum, test) => sum + test.length, 0);
  console.log(`${recorded.size} tests, ${cycles} cycles. What was stored is in ${join(into, "objects")}, by hash.`);
  if (wanted === undefined) return 0;
  return printDifferences(
    positionals.length === 0 ? wanted : new Map([...wanted].filter(([test]) => recorded.has(test))),
    recorded,
  );
}

function record(into: string, positionals: readonly string[]): void {
  rmSync(into, { recursive: true, force: true });
  mkdirSync(into, { recursive: true });
  const { NOONTEST_SEED: _, ...env } = process.env;
  const tests = positionals.length === 0 ? recordedTests() : positionals;
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
  // A cycle before a file's first test is recorded without a name, and not under that of another file's last test.
  const { status } = spawnSync(process.execPath, [vitest, "run", "--project", "unit", "--isolate", ...tests], {
    cwd: ROOT,
    env: { ...env, NOONTEST_GOLDEN: into },
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (status !== 0) console.log("Some of the tests fail; the stores are compared as far as the tests came.");
}

function recordedTests(): string[] {
  const files = FOLDERS.flatMap((folder) => globSync(`${folder}/**/*.test.ts`, { cwd: ROOT }));
  return files.filter((file) => !RANDOM_WORLDS.test(file));
}

function read(folder: string): Recording {
  const recording: Recording = new Map();
  for (const name of readdirSync(folder).filter((entry) => entry.endsWith(".ndjson"))) {
    const file = name.slice(0, -".ndjson".length).replaceAll("__", "/");
    for (const line of readFileSync(join(folder, name), "utf8").trimEnd().split("\n")) {
      const cycle = JSON.parse(line) as RecordedCycle;
      const test = `${file} > ${cycle.test}`;
      const before = recording.get(test) ?? [];
      recording.set(test, [...before, linesOf(cycle, before.length + 1)]);
    }
  }
  return recording;
}

function linesOf({ store, at, changed, deleted }: RecordedCycle, cycle: number): string[] {
  const head = `cycle ${cycle}, store ${store}, ${new Date(at).toISOString()}`;
  return [head, ...changed.map((entry) => entry.join(" ")), ...deleted.map((key) => `${key} deleted`)];
}

function printDifferences(other: Recording, recorded: Recording): number {
  const differences = compare(other, recorded);
  for (const difference of differences.slice(0, PRINTED_DIFFERENCES)) console.log(difference);
  console.log(`${differences.length} differences.`);
  return differences.length === 0 ? 0 : 1;
}

function compare(other: Recording, recorded: Recording): string[] {
  const differences: string[] = [];
  for (const [test, cycles] of other) {
    const now = recorded.get(test);
    if (now === undefined) differences.push(`${test}\n  the test was not recorded: it is gone, or has another name`);
    else {
      for (let index = 0; index < Math.max(cycles.length, now.length); index++) {
        const [before = ["no such cycle"], after = ["no such cycle"]] = [cycles[index], now[index]];
        const lines = differingLines(before, after);
        if (lines.length > 0) differences.push([test, `  ${before[0]}`, ...lines].join("\n"));
      }
    }
  }
  for (const test of recorded.keys()) {
    if (!other.has(test)) differences.push(`${test}\n  the test is new: the other tree has no such test`);
  }
  return differences;
}

function differingLines(before: readonly string[], after: readonly string[]): string[] {
  const [had, has] = [new Set(before), new Set(after)];
  return [
    ...before.filter((line) => !has.has(line)).map((line) => `    other: ${line}`),
    ...after.filter((line) => !had.has(line)).map((line) => `    now:   ${line}`),
  ];
}
