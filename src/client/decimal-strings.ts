/** Decimal strings (docs/spec/api.md#values) as numbers to compute with and as text to read; never a float. */

/** The exact value. Throws a TypeError for anything but `0` or a positive integer without leading zeros. */
export function units(text: string): bigint {
  return BigInt(checked(text));
}

/**
 * A quantity of base units in whole ones, trailing zeros dropped: `amount("1500", 3)` is `"1.5"`. Throws a TypeError
 * as `units` does, and for decimals that are no nonnegative integer.
 */
export function amount(text: string, decimals: number): string {
  if (!Number.isSafeInteger(decimals) || decimals < 0) throw new TypeError(`no number of decimals: ${decimals}`);
  const digits = checked(text).padStart(decimals + 1, "0");
  const point = digits.length - decimals;
  let fraction = digits.slice(point);
  while (fraction.endsWith("0")) fraction = fraction.slice(0, -1);
  return digits.slice(0, point) + (fraction && `.${fraction}`);
}

function checked(text: string): string {
  if (typeof text !== "string" || !/^(?:0|[1-9]\d*)$/.test(text)) throw new TypeError(`no decimal string: ${text}`);
  return text;
}
