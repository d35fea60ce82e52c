import fc from "fast-check";
import { expect, test } from "vitest";
import { amount, units } from "../../src/client/decimal-strings.ts";

test.each([
  ["0", 18, "0"],
  ["1", 18, "0.000000000000000001"],
  ["1500000000000000000", 18, "1.5"],
  ["1000000000000000000", 18, "1"],
  ["1000", 0, "1000"],
  ["123456", 3, "123.456"],
  ["100", 2, "1"],
  [`${2n ** 256n - 1n}`, 18, "115792089237316195423570985008687907853269984665640564039457.584007913129639935"],
])("amount(%s, %i) is %s", (text, decimals, expected) => expect(amount(text, decimals)).toBe(expected));

test("an amount is the quotient and the remainder of its units", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 300n }), fc.nat(90), (value, decimals) => {
      const [whole = "", fraction = ""] = amount(String(value), decimals).split(".");
      expect(fraction).not.toMatch(/0$/);
      expect(units(whole) * 10n ** BigInt(decimals) + BigInt(fraction.padEnd(decimals, "0") || "0")).toBe(value);
      expect(units(String(value))).toBe(value);
    }),
  );
});

test.each(["", "01", "-1", "+1", "1.5", "1e3", "0x10", " 1", "1\n", "١", undefined, null, 1, 1n])(
  "no decimal string: %o",
  (text) => {
    expect(() => units(text as string)).toThrow(TypeError);
    expect(() => amount(text as string, 2)).toThrow(TypeError);
  },
);

test.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])("no number of decimals: %d", (decimals) =>
  expect(() => amount("1", decimals)).toThrow(TypeError),
);
