import { afterAll, beforeAll, expect, test } from "vitest";
import { DAMAGES, LEFT_BY_FORCE } from "./damages.ts";
import { FsckWorld, PUBLISHED } from "./fsck-world.ts";

/** A lease object that cannot be read is watched for 34 s. */
const LATER = PUBLISHED + 300_000;
const world = new FsckWorld();
beforeAll(() => world.publish());
afterAll(() => world.end());

test.each(DAMAGES.filter(({ name }) => !LEFT_BY_FORCE.has(name)))("--force repairs $rule: $name", async ({ plant }) => {
  const copy = world.copy();
  await plant(copy);
  await world.force(copy.store);
  expect((await copy.fsck(LATER)).findings).toEqual([]);
});
