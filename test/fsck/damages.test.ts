import { afterAll, beforeAll, expect, test } from "vitest";
import { RULES } from "../../src/fsck/rules.ts";
import { DAMAGES } from "./damages.ts";
import { FsckWorld, HOUR, PUBLISHED } from "./fsck-world.ts";

const world = new FsckWorld();
beforeAll(() => world.publish());
afterAll(() => world.end());

test.each(DAMAGES)("fsck finds $rule: $name", async ({ rule, plant, later = 0 }) => {
  const copy = world.copy();
  const key = await plant(copy);
  const { findings } = await copy.fsck(PUBLISHED + later);
  expect(findings.map((finding) => `${finding.rule} ${finding.key}`)).toContain(`${rule} ${key}`);
});

test("every rule has a damage", () => {
  expect(new Set(DAMAGES.map(({ rule }) => rule))).toEqual(new Set(Object.keys(RULES)));
});

test("a tile that has just lost its name is no finding yet", async () => {
  const copy = world.copy();
  const orphaned = DAMAGES.find(({ rule }) => rule === "orphan");
  await orphaned?.plant(copy);
  expect((await copy.fsck(PUBLISHED + HOUR)).findings).toEqual([]);
});
