/** The installations that a cycle plans (docs/spec/publishing.md#ten-thousand). */
import { afterEach, beforeEach, expect, test } from "vitest";
import { DirtyInstallations } from "../../publish/dirty-installations.ts";
import { World } from "./world.ts";

let world: World;
beforeEach(() => {
  world = new World();
  for (let no = 1; no <= 5; no++) world.receive(1, no, `wheel-${no}`);
});
afterEach(() => world.end());

/** Ids, as they are handed out two at a time. */
function taken(moved: DirtyInstallations, due: readonly string[]): string[] {
  const toPlan = moved.find(world.ledger, due);
  const ids: string[] = [];
  for (let some = toPlan.take(world.ledger, 2); some !== undefined; some = toPlan.take(world.ledger, 2)) {
    expect(some.length).toBeLessThanOrEqual(2);
    ids.push(...some.map(({ id }) => id));
  }
  moved.planned(toPlan);
  return ids;
}

test("all of the first cycle, then those that have moved, are due or were left, each once", () => {
  const moved = new DirtyInstallations();
  expect(taken(moved, ["wheel-2"])).toEqual(["wheel-1", "wheel-2", "wheel-3", "wheel-4", "wheel-5"]);
  expect(taken(moved, [])).toEqual([]);
  world.receive(1, 4, "wheel-4");
  world.receive(2, 2, "wheel-2");
  moved.keep("wheel-5");
  moved.keep("wheel-4");
  expect(taken(moved, ["wheel-2", "wheel-1", "nobody", "wheel-1"])).toEqual([
    "wheel-2",
    "wheel-4",
    "wheel-1",
    "wheel-5",
  ]);
  moved.clear("wheel-5");
  expect(taken(moved, [])).toEqual(["wheel-4"]);
  moved.forget();
  expect(taken(moved, [])).toHaveLength(5);
});

test("a process goes on from where the one before was, with what that one left", () => {
  const before = new DirtyInstallations();
  taken(before, []);
  world.receive(1, 3, "wheel-3");
  const { point } = before;
  const next = new DirtyInstallations(point && { point, left: ["wheel-1"] });
  expect(taken(next, [])).toEqual(["wheel-3", "wheel-1"]);
});

test("without a ledger there is nobody", () => {
  const toPlan = new DirtyInstallations().find(undefined, ["wheel-1"]);
  expect(toPlan.take(world.ledger, 2)).toBeUndefined();
});
