/** A server that answers right gives no finding. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { findingLine } from "../../src/verify/print.ts";
import { ALL_RULES } from "../../src/verify/rules.ts";
import { compressing } from "./support/faults/edges.ts";
import { type FullWorld, fullWorld } from "./support/full-world.ts";
import { judge, standIn } from "./support/stand-in.ts";

let full: FullWorld;
beforeAll(async () => {
  full = await fullWorld();
});
afterAll(() => full?.world.end());

test("a whole run over a world that has everything: no finding, and nothing but the files left out", async () => {
  const report = await judge({ send: standIn(full), now: full.at, watch: 3 });
  expect(report.findings.map(findingLine)).toEqual([]);
  expect(report.skipped).toEqual([{ rule: "files/status", why: "every file is 404: the site is turned off" }]);
  expect(report.checks).toBeGreaterThan(20_000);
});

test("a front that compresses as it should", async () => {
  const report = await judge({ send: standIn(full), now: full.at, fault: compressing });
  expect(report.findings.map(findingLine)).toEqual([]);
});

test("a rule has one name", () => {
  const names = ALL_RULES.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { name, says, mend } of ALL_RULES) expect([name, says, mend].join("")).not.toBe("");
});
