import { afterAll, beforeAll, expect, test } from "vitest";
import { FsckWorld } from "./fsck-world.ts";

const world = new FsckWorld();
beforeAll(() => world.publish());
afterAll(() => world.end());

test("what a publisher leaves has no finding", async () => {
  const { objects, findings } = await world.copy().fsck();
  expect(findings).toEqual([]);
  expect(objects).toBe(33);
});
