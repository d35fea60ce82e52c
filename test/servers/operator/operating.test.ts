/**
 * Runs docs/operating.md as written, on a bare Debian, from its first to its last command, docs/incidents.md within it,
 * and then the moves of docs/storage.md.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fenced } from "../../docs/markdown.ts";
import { packInto } from "../../package/packed-files.ts";
import { fillCache, onMachine, type Step } from "./debian-machine.ts";

const ROOT = join(import.meta.dirname, "../../..");
const read = (page: string) => readFileSync(join(ROOT, page), "utf8");
const [, MOVING = ""] = read("docs/storage.md").split("\n## Moving the store\n");
/** The moves come last, because they begin new stores. */
const BLOCKS = [...fenced(read("docs/operating.md"), "sh"), ...fenced(MOVING, "sh")];
const INCIDENTS = fenced(read("docs/incidents.md"), "sh");
const PARTS = "cat /srv/parts/noonmark.cdx.json; echo";
/** Runs as the shim's user, with only the files that its unit leaves visible. */
const asShim = (command: string) =>
  `nsenter --mount --target "\${PIDS[noonmark-serve]}" setpriv --reuid noonmark-serve --regid noonmark --clear-groups ${command} 2>&1`;
const SHIM_SEES = [
  asShim("cat /var/lib/noonmark/public/v1/public/modules.http"),
  asShim("cat /var/lib/noonmark/ledger.db"),
  asShim("cat /var/lib/noonmark/public/private/log/checkpoint.http"),
  asShim("touch /var/lib/noonmark/public/x"),
  asShim("cat /etc/noonmark/noonmark.json"),
  "stat -c '%a %U' /etc/noonmark/noonmark.json",
];
const AFTER_ENABLE = BLOCKS.findIndex((block) => block.includes("enable --now noonmark-publish noonmark-serve"));
const VERIFIED = BLOCKS.findIndex((block) => block.includes("noonmark verify"));
const BACKUP = BLOCKS.findIndex((block) => block.includes("-- noonmark ledger backup"));
const LOOK_AT_BACKUP = `cd /var/lib/noonmark
sqlite3 ledger.backup.db "SELECT count(*) FROM receipt; PRAGMA integrity_check"
stat -c '%a %U' ledger.backup.db && ls | grep backup; cd - > /dev/null`;
/** Checks to run after a block, by its position: what a reader of the page would do or see next. */
const BETWEEN: ReadonlyMap<number, readonly string[]> = new Map([
  [AFTER_ENABLE, SHIM_SEES],
  [VERIFIED, INCIDENTS],
  [BACKUP, [BLOCKS[BACKUP] ?? "", LOOK_AT_BACKUP]],
]);
/** The exit code in a block's comment; otherwise 0. */
const expected = (block: string) => Number(/# exit (\d+)$/m.exec(block)?.[1] ?? 0);

let folder: string;
let steps: Step[];
let shimSees: Step[];
let again: Step[];
let incidents: Step[];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "noonmark-operating-"));
  const tarball = packInto(folder);
  await fillCache(folder, tarball);
  const all = await onMachine(folder, tarball, [
    ...BLOCKS.flatMap((block, index) => [block, ...(BETWEEN.get(index) ?? [])]),
    PARTS,
  ]);
  steps = [];
  for (const [index] of BLOCKS.entries()) {
    steps.push(...all.splice(0, 1));
    const seen = all.splice(0, BETWEEN.get(index)?.length ?? 0);
    if (index === AFTER_ENABLE) shimSees = seen;
    else if (index === VERIFIED) incidents = seen;
    else if (index === BACKUP) again = seen;
  }
  steps.push(...all);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const outputOf = (start: string) => {
  const index = BLOCKS.findIndex((block) => block.includes(start));
  if (index < 0) throw new Error(`no block has ${start}`);
  return steps[index]?.output ?? "";
};

test("every block of docs/operating.md ends as the page says", () => {
  expect(BLOCKS.length).toBeGreaterThan(20);
  const seen = BLOCKS.map((block, index) => ({ block, code: steps[index]?.code, output: steps[index]?.output }));
  expect(seen.filter(({ block, code }) => code !== expected(block))).toEqual([]);
});

test("every block of docs/incidents.md ends well beside a publisher", () => {
  expect(incidents.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(incidents[0]?.output).not.toMatch(/^FIX/m);
  expect(incidents[1]?.output).toMatch(/^as of .*, 0 failed$/m);
  expect(incidents[2]?.output).toMatch(/^\d+ objects, 0 findings/m);
});

test("the first status lists what is missing, and the second finds nothing", () => {
  expect(outputOf("noonmark init")).toMatch(/^FIX settings .*installationId/m);
  expect(outputOf("noonmark ingest - < /srv/facts.ndjson")).toMatch(/^3 accepted, 0 duplicate, 0 rejected; ledger /m);
  expect(outputOf("noonmark ingest - < /srv/facts.ndjson")).not.toMatch(/^FIX/m);
});

test("the shim's service can read the store, but not the ledger, the private log or the publisher's settings", () => {
  expect(shimSees.map(({ code }) => code)).toEqual([0, 1, 1, 1, 1, 0]);
  expect(shimSees[0]?.output).toContain('"installationId":"wheel-1"');
  expect(shimSees.slice(1).map(({ output }) => output.trim().split(": ").at(-1))).toEqual([
    "No such file or directory",
    "Permission denied",
    "Read-only file system",
    "No such file or directory",
    "600 noonmark",
  ]);
});

test("readers get responses, and verify finds nothing", () => {
  const seen = outputOf("curl -s http://127.0.0.1:8787/v1/public/telemetry");
  expect(seen).toContain('"installationId":"wheel-1"');
  expect(seen).toMatch(/Publishing: /);
  expect(seen).toMatch(/ checks, 0 findings, /);
});

test("the restored ledger and the moved installation are intact", () => {
  expect(outputOf("noonmark ledger restore")).toMatch(/^\d+ objects, 0 findings$/m);
  expect(outputOf("public-2")).toMatch(/^\d+ objects, 0 findings$/m);
  expect(outputOf("--installation-id wheel-2")).toContain("unknown_installation");
});

test("a second backup replaces the first, complete and readable only by its owner", () => {
  expect(again.map(({ code }) => code)).toEqual([0, 0]);
  expect(again[1]?.output.trim().split("\n")).toEqual(["1", "ok", "600 noonmark", "ledger.backup.db"]);
});

test("the list of parts names exactly the installed packages", () => {
  const { components } = JSON.parse(steps.at(-1)?.output ?? "") as { components: { name: string }[] };
  const names = components.map(({ name }) => name);
  const {
    dependencies = {},
    optionalDependencies = {},
    devDependencies = {},
  } = JSON.parse(read("package.json")) as Record<string, Record<string, string>>;
  const installed = { ...dependencies, ...optionalDependencies };
  expect(Object.keys(installed).filter((name) => !names.includes(name))).toEqual([]);
  expect(Object.keys(devDependencies).filter((name) => names.includes(name) && !(name in installed))).toEqual([]);
});
