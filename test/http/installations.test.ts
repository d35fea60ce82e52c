/** The index of installations (docs/spec/publishing.md#index). */
import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeIndex, parseIndex } from "../../src/http/installations.ts";

const ids = fc.stringMatching(/^[A-Za-z0-9._:-]{1,128}$/);
const listed = fc.uniqueArray(ids);

test("an index with any ids is read back unchanged", () => {
  fc.assert(
    fc.property(listed, ids, (named, configured) => {
      const index = { configured, installations: new Set([...named, "__proto__"]) };
      expect(parseIndex(encodeIndex(index))).toEqual(index);
    }),
  );
});

test.each([
  "[]",
  "null",
  "{}",
  '{"schemaVersion":1,"configured":"a"}',
  '{"schemaVersion":1,"configured":1,"installations":[]}',
  '{"schemaVersion":1,"configured":"a","installations":{"a":"1"}}',
  '{"configured":"a","installations":[]}',
])("an invalid index is rejected: %s", (text) => {
  expect(() => parseIndex(text)).toThrow(SyntaxError);
});
