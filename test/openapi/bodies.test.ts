/** The document's schemas accept every golden body. */
import { expect, test } from "vitest";
import { plainTargets, routeContract } from "../../src/resources/contracts.ts";
import { ROUTES } from "../../src/resources/table.ts";
import { fullWorld } from "../verify/support/full-world.ts";
import { standIn } from "../verify/support/stand-in.ts";
import { GOLDEN_BODIES, type GoldenBody } from "./golden-bodies.ts";
import { bodyJudge, complaint, DOCUMENT } from "./judge.ts";

const full = await fullWorld();
const ask = standIn(full);
const recorded = GOLDEN_BODIES.map(({ route, file, body }) => ({
  component: routeContract(route).body.name,
  file,
  body,
}));
const missing = ROUTES.filter(
  ({ name }) => !recorded.some(({ component }) => component === routeContract(name).body.name),
);
/** Every golden body, and a response of each route that has none. */
const BODIES: readonly (Omit<GoldenBody, "route"> & { readonly component: string })[] = [
  ...recorded,
  ...(await Promise.all(
    missing.map(async (row) => {
      const [target = ""] = plainTargets(row, "wheel-1");
      const { body } = await ask({ method: "GET", target, headers: {} });
      return {
        component: routeContract(row.name).body.name,
        file: target,
        body: JSON.parse(new TextDecoder().decode(body)),
      };
    }),
  )),
];
await full.world.end();

test("every component is a valid schema in strict mode", () => {
  for (const name of Object.keys(DOCUMENT.components.schemas)) expect(() => bodyJudge(name), name).not.toThrow();
});

test.each(BODIES)("$component accepts $file", ({ component, body }) => {
  expect(complaint(bodyJudge(component), body)).toBeUndefined();
});

test("every route has a golden body", () => {
  const components = new Set(BODIES.map(({ component }) => component));
  for (const { name } of ROUTES) expect(components).toContain(routeContract(name).body.name);
});
