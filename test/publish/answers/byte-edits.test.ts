import fc from "fast-check";
import { expect, test } from "vitest";
import { byteEdits } from "../../../publish/plan/successors.ts";
import { applyEdits } from "../../../src/http/successor.ts";

const applied = (before: string, after: string) =>
  new TextDecoder().decode(applyEdits(Buffer.from(before), byteEdits(before, after)));

test("byte edits of two bodies of one shape replace single tokens", () => {
  const before = '{"at":"10:00","status":"online","n":[1,22,null]}';
  const after = '{"at":"10:02","status":"stale","n":[1,22,true]}';
  expect(byteEdits(before, after)).toEqual([
    { offset: 6, length: 7, text: '"10:02"' },
    { offset: 23, length: 8, text: '"stale"' },
    { offset: 42, length: 4, text: "true" },
  ]);
  expect(applied(before, after)).toBe(after);
});

test("byte edits count their offsets in bytes, not characters", () => {
  const before = '{"version":"größe 🎡","status":"online"}';
  const after = '{"version":"größe 🎡","status":"stale"}';
  expect(applied(before, after)).toBe(after);
});

test("byte edits never cut a surrogate pair", () => {
  expect(applied('["🎡"]', '["🎠"]')).toBe('["🎠"]');
  expect(applied("🎡 and more", "🎠 and")).toBe("🎠 and");
});

test("byte edits change any JSON text into any other", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: "grapheme" }), fc.jsonValue({ stringUnit: "grapheme" }), (one, other) => {
      const [before, after] = [JSON.stringify(one), JSON.stringify(other)];
      expect(applied(before, after)).toBe(after);
    }),
  );
});
