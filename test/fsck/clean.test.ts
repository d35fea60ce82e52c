import { afterAll, beforeAll, expect, test } from "vitest";
import { parseBody } from "../../src/fsck/objects.ts";
import { golden } from "../openapi/golden-bodies.ts";
import { FsckWorld } from "./fsck-world.ts";

const world = new FsckWorld();
beforeAll(() => world.publish());
afterAll(() => world.end());

test("fsck finds nothing in a publisher's store", async () => {
  const { objects, findings } = await world.copy().fsck();
  expect(findings).toEqual([]);
  expect(objects).toBe(33);
});

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

test("fsck finds a module that is stored twice, by the same rules as verify", () => {
  const body = golden("site/recorded/modules.json") as { modules: object[] };
  expect(body.modules.length).toBeGreaterThan(0);
  const kind = { is: "answer", resource: "modules" } as const;
  expect(parseBody(kind, 200, bytes(body)).complaint).toBeUndefined();
  const twice = { ...body, modules: [...body.modules, ...body.modules] };
  expect(parseBody(kind, 200, bytes(twice)).complaint).toMatch(/^body\/module-order: /);
});
