/** fsck judges a stored body by the same rules as verify judges a served one, those that no schema says included. */
import { expect, test } from "vitest";
import { parseBody } from "../../src/fsck/objects.ts";
import { golden } from "../openapi/golden-bodies.ts";

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

test("a module that is stored twice is a complaint, and each by itself is none", () => {
  const body = golden("site/recorded/modules.json") as { modules: object[] };
  expect(body.modules.length).toBeGreaterThan(0);
  const kind = { is: "answer", resource: "modules" } as const;
  expect(parseBody(kind, 200, bytes(body)).complaint).toBeUndefined();
  const twice = { ...body, modules: [...body.modules, ...body.modules] };
  expect(parseBody(kind, 200, bytes(twice)).complaint).toMatch(/^body\/module-order: /);
});
