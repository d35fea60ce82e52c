/** docs/operating.md, as it is written, on a bare Debian, from its first command to its last. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fenced } from "../../docs/markdown.ts";
import { packInto } from "../../package/packed-files.ts";
import { fillCache, onMachine, type Step } from "./debian-machine.ts";

const ROOT = join(import.meta.dirname, "../../..");
const BLOCKS = fenced(readFileSync(join(ROOT, "docs/operating.md"), "utf8"), "sh");
const PARTS = "cat /srv/parts/noonmark.cdx.json; echo";
/** What a block's own comment says; it is 0 else. */
const expected = (block: string) => Number(/# exit (\d+)$/m.exec(block)?.[1] ?? 0);

let folder: string;
let steps: Step[];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "noonmark-operating-"));
  const tarball = packInto(folder);
  await fillCache(folder, tarball);
  steps = await onMachine(folder, tarball, [...BLOCKS, PARTS]);
}, 600_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }), 300_000);

const saidBy = (start: string) => {
  const index = BLOCKS.findIndex((block) => block.includes(start));
  if (index < 0) throw new Error(`no block has ${start}`);
  return steps[index]?.output ?? "";
};

test("every block ends as the page says", () => {
  expect(BLOCKS.length).toBeGreaterThan(20);
  const seen = BLOCKS.map((block, index) => ({ block, code: steps[index]?.code, output: steps[index]?.output }));
  expect(seen.filter(({ block, code }) => code !== expected(block))).toEqual([]);
});

test("the first doctor says what is missing, the second that all is well", () => {
  expect(saidBy("noonmark init")).toMatch(/^MEND genesis/m);
  expect(saidBy("noonmark ingest --example receipt")).toMatch(/^1 accepted, 0 duplicate, 0 rejected$/m);
  expect(saidBy("noonmark ingest --example receipt")).not.toMatch(/^MEND/m);
});

test("readers get answers, and verify finds nothing", () => {
  const seen = saidBy("curl -s http://127.0.0.1:8787/v1/public/telemetry");
  expect(seen).toContain('"installationId":"wheel-1"');
  expect(seen).toMatch(/Publishing: /);
  expect(seen).toMatch(/ checks, 0 findings, /);
});

test("the restored ledger, and the new place, are what a publisher leaves", () => {
  expect(saidBy("ledger.backup.db /var/lib")).toMatch(/^\d+ objects, 0 findings$/m);
  expect(saidBy("public-2")).toMatch(/^\d+ objects, 0 findings$/m);
  expect(saidBy("--installation-id wheel-2")).toContain("unknown_installation");
});

test("the list of parts names what is installed, and nothing else", () => {
  const { components } = JSON.parse(steps.at(-1)?.output ?? "") as { components: { name: string }[] };
  const names = components.map(({ name }) => name);
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Record<
    string,
    Record<string, string>
  >;
  expect(Object.keys(dependencies ?? {}).filter((name) => !names.includes(name))).toEqual([]);
  expect(Object.keys(devDependencies ?? {}).filter((name) => names.includes(name))).toEqual([]);
});
