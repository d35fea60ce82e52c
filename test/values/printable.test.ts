import fc from "fast-check";
import { expect, test } from "vitest";
import { printable } from "../../src/values/printable.ts";
import { anyCharacter } from "../support/random.ts";

test.each([
  ["an escape sequence", "\u001b[31mred", "\\u001b[31mred"],
  ["a forged line", "name\r\nok: all is well", "name\\u000d\\u000aok: all is well"],
  ["a bidirectional override", "a\u202eb", "a\\u202eb"],
  ["a zero-width character", "a\u200bb\u2060c\ufeff", "a\\u200bb\\u2060c\\ufeff"],
  ["a line separator", "a\u2028b", "a\\u2028b"],
  ["an invisible filler", "a\u3164b", "a\\u3164b"],
  ["a tag character", "a\u{e0041}b", "a\\udb40\\udc41b"],
  ["a lone surrogate", "a\ud83d", "a\\ud83d"],
  ["letters of several scripts", "Größe 数 😀 – …", "Größe 数 😀 – …"],
])("%s is escaped", (_, text, shown) => {
  expect(printable(text)).toBe(shown);
});

test("a long text is truncated, and its length is given", () => {
  expect(printable("a".repeat(301))).toBe(`${"a".repeat(300)}… (301 characters)`);
  expect(printable("abc", 2)).toBe("ab… (3 characters)");
});

test("no escaped text has a control character", () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 400 }), (text) => {
      expect(printable(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
    }),
  );
});
