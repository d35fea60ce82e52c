import { expect, test } from "vitest";
import { trustsFront } from "../../../src/shim/node/trusts-front.ts";

const SECRET = "0123456789abcdef";

test.each([
  ["none", [], [undefined, "", "none", SECRET]],
  ["any", [undefined, "", "any", SECRET], []],
  [SECRET, [SECRET], [undefined, "", "any", "none", `${SECRET}0`, SECRET.slice(1), SECRET.toUpperCase()]],
])("fronts %s", (fronts, heard, unheard) => {
  const hears = trustsFront(fronts);
  expect([heard.filter((given) => !hears(given)), unheard.filter((given) => hears(given))]).toEqual([[], []]);
});
