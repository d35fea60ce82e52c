/**
 * `npm run golden` records the contents of the World tests' stores after each cycle, and compares them with recorded/.
 * It prints every difference with test, cycle and key, and then exits 1 (see CONTRIBUTING.md).
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { RecordedCycle } from "./recorder.ts";

const ROOT = join(import.meta.dirname, "../../..");
const RECORDED = join(import.meta.dirname, "recorded");
const FOLDERS = ["test/publish", "test/fsck", "test/resources/feed"];
/** Models check the random worlds instead. */
const RANDOM_WORLDS = /^test\/publish\/random-/;
/** Maximum number of changed keys per cycle that are listed in recorded/. Further keys share one hash. */
const LISTED_KEYS = 40;
/** Maximum number of differences that are printed in full. */
const PRINTED_DIFFERENCES = 50;

/** By test file and test: the lines of each cycle, starting with the cycle's name. */
type Recording = Map<string, readonly (readonly string[])[]>;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: "boolean" }, into: { type: "string" }, against: { type: "string" } },
});
process.exitCode = main();

function main(): number {
  const into = values.into ?? mkdtempSync(join(tmpdir(), "noonmark-golden-"));
  record(into);
  const recorded = readRaw(into, values.against === undefined ? LISTED_KEYS : Number.POSITIVE_INFINITY);
  if (values.write === true) writeTexts(recorded);
  const golden = values.against === undefined ? readTexts() : readRaw(values.against, Number.POSITIVE_INFINITY);
  const wanted = positionals.length === 0 ? golden : new Map([...golden].filter(([test]) => recorded.has(test)));
  const differences = compare(wanted, recorded);
  for (const difference of differences.slice(0, PRINTED_DIFFERENCES)) console.log(difference);
  const cycles = [...recorded.values()].reduce((sum, test) => sum + test.length, 0);
  console.log(`${recorded.size} tests, ${cycles} cycles, ${differences.length} differences.`);
  if (values.into === undefined && differences.length === 0) rmSync(into, { recursive: true });
  else console.log(`What was stored is in ${join(into, "objects")}, by hash.`);
  return differences.length === 0 ? 0 : 1;
}

function record(into: string): void {
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

function readRaw(folder: string, listed: number): Recording {
  const recording: Recording = new Map();
  for (const name of readdirSync(folder).filter((entry) => entry.endsWith(".ndjson"))) {
    const file = name.slice(0, -".ndjson".length).replaceAll("__", "/");
    for (const line of readFileSync(join(folder, name), "utf8").trimEnd().split("\n")) {
      const cycle = JSON.parse(line) as RecordedCycle;
      const test = `${file} > ${cycle.test}`;
      const before = recording.get(test) ?? [];
      recording.set(test, [...before, linesOf(cycle, before.length + 1, listed)]);
    }
  }
  return recording;
}

function linesOf({ store, at, changed, deleted }: RecordedCycle, cycle: number, listed: number): string[] {
  const lines = [...changed.map((entry) => entry.join(" ")), ...deleted.map((key) => `${key} deleted`)];
  const others = lines.slice(listed);
  const hash = createHash("sha256").update(others.join("\n")).digest("hex").slice(0, 12);
  const rest = others.length === 0 ? [] : [`${others.length} keys more, together ${hash}`];
  return [`cycle ${cycle}, store ${store}, ${new Date(at).toISOString()}`, ...lines.slice(0, listed), ...rest];
}

/** Writes one file per test file: test names, and indented below them their cycles and keys. */
function writeTexts(recording: Recording): void {
  const texts = new Map<string, string>();
  for (const [test, cycles] of [...recording].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const [file = "", ...name] = test.split(" > ");
    const lines = cycles.flatMap(([head, ...keys]) => [` ${head}`, ...keys.map((key) => `  ${key}`)]);
    texts.set(file, `${texts.get(file) ?? ""}${name.join(" > ")}\n${lines.join("\n")}\n`);
  }
  if (positionals.length === 0) rmSync(RECORDED, { recursive: true, force: true });
  for (const [file, text] of texts) {
    mkdirSync(RECORDED, { recursive: true });
    writeFileSync(join(RECORDED, `${file.replaceAll("/", "__")}.txt`), text);
  }
}

function readTexts(): Recording {
  const recording: Recording = new Map();
  for (const name of existsSync(RECORDED) ? readdirSync(RECORDED) : []) {
    const file = name.slice(0, -".txt".length).replaceAll("__", "/");
    for (const test of readFileSync(join(RECORDED, name), "utf8")
      .trimEnd()
      .split(/\n(?! )/)) {
      const [title = "", ...cycles] = test.split(/\n (?! )/);
      recording.set(
        `${file} > ${title}`,
        cycles.map((cycle) => cycle.split("\n  ")),
      );
    }
  }
  return recording;
}

function compare(golden: Recording, recorded: Recording): string[] {
  const differences: string[] = [];
  for (const [test, cycles] of golden) {
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
    if (!golden.has(test)) differences.push(`${test}\n  the test is new: npm run golden -- --write`);
  }
  return differences;
}

function differingLines(before: readonly string[], after: readonly string[]): string[] {
  const [had, has] = [new Set(before), new Set(after)];
  return [
    ...before.filter((line) => !has.has(line)).map((line) => `    golden: ${line}`),
    ...after.filter((line) => !had.has(line)).map((line) => `    now:    ${line}`),
  ];
}
