/** Formats the API's decimal strings for people. The arithmetic uses bigint; only rounded values become numbers. */

const GROUPED = new Intl.NumberFormat();
const decimals = new Map<number, Intl.NumberFormat>();

/** Groups digits: "484,372". */
export function grouped(value: string | bigint | number): string {
  return GROUPED.format(typeof value === "number" ? value : BigInt(value));
}

/** Formats a number with at most `digits` decimals: `fixed(42.13, 1)` is "42.1". */
export function fixed(value: number, digits: number): string {
  let format = decimals.get(digits);
  if (format === undefined) {
    format = new Intl.NumberFormat(undefined, { maximumFractionDigits: digits });
    decimals.set(digits, format);
  }
  return format.format(value);
}

/** Formats the API's thousandths: `milli("16170310")` is "16,170.3". */
export function milli(value: string | number | bigint, digits = 1): string {
  return scaled(BigInt(value), 3, digits);
}

/** Formats `value` × 10^-`places` with at most `digits` decimals, cut and never rounded up. */
export function scaled(value: bigint, places: number, digits: number): string {
  const unit = 10n ** BigInt(places);
  let rest = (value % unit).toString().padStart(places, "0").slice(0, digits);
  while (rest.endsWith("0")) rest = rest.slice(0, -1);
  return rest === "" ? grouped(value / unit) : grouped(value / unit) + decimalPoint() + rest;
}

/** Formats token base units as whole units with at most two decimals. Amounts below 0.01 are "< 0.01". */
export function amount(baseUnits: string, places: number): string {
  const value = BigInt(baseUnits);
  if (value > 0n && value < 10n ** BigInt(Math.max(places - 2, 0))) return `< 0${decimalPoint()}01`;
  return scaled(value, places, 2);
}

/** Formats every digit without trailing zeros: "20.000000000000000001". */
export function exactAmount(baseUnits: string, places: number): string {
  return scaled(BigInt(baseUnits), places, places);
}

/** Formats basis points: "99.27 %". */
export function percent(bps: number): string {
  return `${fixed(bps / 100, 2)} %`;
}

/** `plural("1", "round")` is "1 round", `plural("2", "round")` "2 rounds". */
export function plural(count: string | number | bigint, word: string, words = `${word}s`): string {
  return `${grouped(count)} ${BigInt(count) === 1n ? word : words}`;
}

/** Formats millimetres: as metres below a kilometre, else as kilometres with two decimals. */
export function distance(mm: string | number): string {
  const value = BigInt(mm);
  return value < 1_000_000n ? `${scaled(value, 3, 1)} m` : `${scaled(value, 6, 2)} km`;
}

/** Formats millimetres per second as metres per second. */
export function speed(mmPerSecond: number | string): string {
  return `${scaled(BigInt(mmPerSecond), 3, 2)} m/s`;
}

/** Returns the share of a whole, from 0 to 1. Exact enough only for drawing. */
export function share(part: bigint, whole: bigint): number {
  return whole <= 0n ? 0 : Number((part * 1_000_000n) / whole) / 1_000_000;
}

/** Intervals of a value axis: at most this many, of 1, 2 or 5 times a power of ten. */
const INTERVALS = 4n;

/** Returns the values of the axis, from 0 to the first one that is not below `most`. */
export function axisOf(most: bigint): readonly bigint[] {
  if (most === 0n) return [0n];
  let unit = 1n;
  while (unit * 10n * INTERVALS < most) unit *= 10n;
  const step = [1n, 2n, 5n, 10n].map((times) => times * unit).find((one) => one * INTERVALS >= most) ?? most;
  return Array.from({ length: Number((most + step - 1n) / step) + 1 }, (_, index) => BigInt(index) * step);
}

/** Returns the decimal separator of the reader's locale. */
function decimalPoint(): string {
  return fixed(0.5, 1).charAt(1);
}
