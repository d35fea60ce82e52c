/**
 * The document's schemas accept every golden body. They reject at least 98 % of the single-field mutations that the
 * resources' own schemas reject. The rest are rules between fields, which JSON Schema cannot express.
 */
import { describe, expect, test } from "vitest";
import { OPERATIONS, plainTargets, routeContract } from "../../src/resources/contracts.ts";
import { ROUTES } from "../../src/resources/table.ts";
import { fullWorld } from "../verify/support/full-world.ts";
import { standIn } from "../verify/support/stand-in.ts";
import { GOLDEN_BODIES, type GoldenBody } from "./golden-bodies.ts";
import { bodyJudge, complaint, DOCUMENT } from "./judge.ts";
import { mutations } from "./mutations.ts";

const LEAST = 0.98;

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

interface Score {
  invalid: number;
  rejected: number;
  /** Mutations that the document wrongly accepts. */
  readonly accepted: Set<string>;
  readonly ofKind: Map<string, { invalid: number; rejected: number }>;
}

describe("single-field mutations", () => {
  test(`at least ${LEAST * 100} % of the mutations that break a body are rejected`, () => {
    const score: Score = { invalid: 0, rejected: 0, accepted: new Set(), ofKind: new Map() };
    for (const { component, body } of ONE_OF_EACH) judgeMutations(component, structuredClone(body), score);
    const share = score.rejected / score.invalid;
    const kinds = [...score.ofKind].map(([kind, { invalid, rejected }]) => `${kind} ${rejected}/${invalid}`);
    process.stderr.write(
      `openapi: ${score.rejected} of ${score.invalid} invalid bodies rejected (${(share * 100).toFixed(2)} %): ${kinds.join(", ")}\n` +
        `openapi: not rejected: ${[...score.accepted].join(", ")}
`,
    );
    expect(score.invalid).toBeGreaterThan(5_000);
    expect(share).toBeGreaterThanOrEqual(LEAST);
  });
});

/** Weekly statistics only, because monthly ones have the same fields. */
const ONE_OF_EACH = BODIES.filter(({ file }) => !/30d|recorded/.test(file));

function judgeMutations(component: string, body: unknown, score: Score): void {
  const judge = bodyJudge(component);
  const schema = schemaOf(component);
  for (const mutation of mutations(body)) {
    const accepted = judge(mutation.body);
    // A mutation that the resource's own schema accepts is valid, such as null in a nullable field.
    if (accepted && schema.safeParse(mutation.body).success) continue;
    const kind = score.ofKind.get(mutation.kind) ?? { invalid: 0, rejected: 0 };
    score.ofKind.set(mutation.kind, kind);
    score.invalid++;
    kind.invalid++;
    if (accepted) {
      score.accepted.add(`${mutation.kind} of ${component}.${mutation.path.replace(/\.\d+/g, "[]")}`);
    } else {
      score.rejected++;
      kind.rejected++;
    }
  }
}

function schemaOf(component: string) {
  const body = OPERATIONS.find(({ contract }) => contract.body?.name === component)?.contract.body;
  if (body == null) throw new Error(`no contract has the body ${component}`);
  return body.schema;
}
