import { afterAll, beforeAll, expect, test } from "vitest";
import { DAMAGES, LEFT_BY_FORCE } from "./damages.ts";
import { FsckWorld, PUBLISHED } from "./fsck-world.ts";

const world = new FsckWorld();
beforeAll(() => world.publish());
afterAll(() => world.end());

test.each(DAMAGES.filter(({ name }) => !LEFT_BY_FORCE.has(name)))("$rule: $name is put right", async ({ plant }) => {
  const copy = world.copy();
  await plant(copy);
  await world.force(copy.store);
  expect((await copy.fsck(PUBLISHED + 1_000)).findings).toEqual([]);
});
