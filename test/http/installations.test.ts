/** The index of installations (docs/spec/publishing.md#index). */
import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeIndex, INSTALLATIONS_LIMIT, parseIndex } from "../../src/http/installations.ts";

const ids = fc.stringMatching(/^[A-Za-z0-9._:-]{1,128}$/);
const histories = fc.uniqueArray(fc.tuple(ids, fc.stringMatching(/^[1-9][0-9]{0,3}$/)), { selector: ([id]) => id });

test("an index with any ids is read back unchanged", () => {
  fc.assert(
    fc.property(histories, ids, (named, configured) => {
      const index = { configured, histories: new Map([...named, ["__proto__", "7"] as const]) };
      expect(parseIndex(encodeIndex(index))).toEqual(index);
    }),
  );
});

test("a full index has less than half a megabyte", () => {
  const named = Array.from({ length: INSTALLATIONS_LIMIT }, (_, n) => [`production-wheel-${n}`, "1"] as const);
  expect(encodeIndex({ configured: "production-wheel-0", histories: new Map(named) }).length).toBeLessThan(500_000);
});

test.each([
  "[]",
  "null",
  "{}",
  '{"schemaVersion":1,"configured":"a"}',
  '{"schemaVersion":1,"configured":1,"installations":{}}',
  '{"schemaVersion":1,"configured":"a","installations":{"a":"1"}}',
  '{"configured":"a","installations":{}}',
])("an invalid index is rejected: %s", (text) => {
  expect(() => parseIndex(text)).toThrow(SyntaxError);
});
