/**
 * Tests the exchanges and their runner: differences are reported, malformed lines are rejected, and every rule has an
 * exchange.
 */
import { expect, test } from "vitest";
import { ROWS } from "../../../src/resources/table.ts";
import { type Exchange, parseExchanges } from "../../../src/verify/exchanges/format.ts";
import { exchangesEverywhere, exchangesOf, isExchanged } from "../../../src/verify/exchanges/of-row.ts";
import { RULES, ruleName } from "../../../src/verify/rules.ts";
import { runScript, type ScriptResponse } from "./run-http-script.ts";
import { coreTarget } from "./script-targets.ts";
import { scriptWorld } from "./script-world.ts";

const ALL: readonly Exchange[] = [...ROWS.filter(isExchanged).flatMap(exchangesOf), ...exchangesEverywhere()];

test("every exchange names a rule, and every rule has an exchange", () => {
  const named = new Set(ALL.map(({ rule }) => ruleName(rule ?? "")));
  const families = new Set([...named].map((name) => name.split("/")[0] ?? ""));
  const expected = [...RULES.keys()].filter((name) => families.has(name.split("/")[0] ?? ""));
  // Other parts of verify check these.
  const others = ["not-modified/headers", "method/head", "edge/encoding", "edge/key"];
  expect(expected.filter((name) => !named.has(ruleName(name)))).toEqual(others);
});

test.each([
  ["GET /a", "x:1: no request or no response"],
  ["200", "x:1: no request or no response"],
  ["GET /a\nnonsense", "x:2: not a line of an exchange: nonsense"],
])("an invalid block is rejected: %j", (text, message) => {
  expect(() => parseExchanges("x", text)).toThrow(message);
});

/** The runner's differences if `change` alters the shim's response to a GET of `target`. */
async function differencesAfter(
  text: string,
  target: string,
  change: (response: ScriptResponse) => Partial<ScriptResponse>,
) {
  const core = coreTarget(await scriptWorld());
  const changed: typeof core = {
    ...core,
    async send(method, path, headers) {
      const response = await core.send(method, path, headers);
      return method === "GET" && path === target ? { ...response, ...change(response) } : response;
    },
  };
  const { differences } = await runScript(parseExchanges("x", text), changed);
  return differences;
}

const PROCESS = "/v4/public/process";
const ITEMS = "/v1/public/installations/wheel-1/observations";
test.each([
  ["as", `& query/accepted\nGET ${PROCESS}?&\nas ${PROCESS}`, `${PROCESS}?&`],
  ["first", `& query/limit\nGET ${ITEMS}?limit=2\nfirst 2 items of ${ITEMS}`, `${ITEMS}?limit=2`],
  [
    "a 304",
    `& not-modified/matching\nGET ${PROCESS}\n> If-None-Match: "{tag}"\n304\nETag: {plain}\nCache-Control: {plain}`,
    "",
  ],
])("%s: the correct response passes and a changed one is reported", async (_, text, target) => {
  expect(await differencesAfter(text, target, () => ({}))).toEqual([]);
  const other = target === "" ? PROCESS : target;
  const wrong = await differencesAfter(text, other, ({ body, headers }) =>
    body === "" ? { headers: { ...headers, etag: '"other"' } } : { body: body.replaceAll(/[0-9]/g, "7") },
  );
  expect(wrong).not.toEqual([]);
});
