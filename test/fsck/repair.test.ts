/** `fsck --repair` against every damage that fsck knows: the store is as a publisher leaves it, or the damage is named here. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { DAMAGES } from "./damages.ts";
import { FsckWorld, PUBLISHED } from "./fsck-world.ts";

/** By name; docs/fsck.md says how many, and why. */
const NOT_REPAIRABLE: ReadonlySet<string> = new Set([
  // Somebody else's: a store named wrongly must not be emptied.
  "a key of nobody's",
  "another program's bytes under a key of nobody's",
]);

const world = new FsckWorld();
beforeAll(() => world.publish());
afterAll(() => world.end());

test.each(DAMAGES)("fsck --repair repairs $rule: $name", async ({ name, plant, later = 0 }) => {
  const copy = world.copy();
  await plant(copy);
  await world.repair(copy.store);
  const { findings } = await copy.fsck(Math.max(PUBLISHED + later, world.now));
  if (NOT_REPAIRABLE.has(name)) expect(findings).not.toEqual([]);
  else expect(findings).toEqual([]);
});
