/**
 * Decimal strings (docs/spec/api.md#values): `0`, or a positive integer without leading zeros. The program computes
 * with bigint and publishes strings; it never uses a float.
 */
import * as z from "zod";

const CANONICAL = /^(?:0|[1-9][0-9]*)$/;

/** 2^64 − 1, the limit of round ids, work per block and a counter epoch's cumulative work. */
export const UINT64_MAX = 2n ** 64n - 1n;
/** 2^256 − 1 (78 digits), the limit of work, distances and amounts. */
export const UINT256_MAX = 2n ** 256n - 1n;
/** The largest total of work or distance whose mean in thousandths (`…Milli`) fits into 256 bits. */
export const TOTAL_MAX = UINT256_MAX / 1000n;

/** Returns true if the text has the canonical form, at any length. */
export function isCanonicalDecimal(text: string): boolean {
  return CANONICAL.test(text);
}

/** Compares two canonical decimal strings: returns a number below, equal to or above zero. */
export function compareDecimals(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Returns true if a canonical decimal string is at most `max`, in time linear in its length. */
export function isDecimalAtMost(text: string, max: bigint): boolean {
  return compareDecimals(text, max.toString()) <= 0;
}

/** An unsigned 256-bit decimal string. */
export const uint256String = decimalString(78, UINT256_MAX);
/** An unsigned 64-bit decimal string. */
export const uint64String = decimalString(20, UINT64_MAX);

function decimalString(maxDigits: number, max: bigint) {
  return (
    z
      .string()
      .max(maxDigits)
      .regex(CANONICAL)
      // A text with fewer digits than the limit need not be parsed.
      .refine((text) => text.length < maxDigits || BigInt(text) <= max, { message: `above ${max}` })
  );
}

/** Returns JSON that stores a bigint as `{"n": "…"}`, so that `fromBigintJson` restores it. */
export function toBigintJson(value: unknown): string {
  return JSON.stringify(value, (_, one) => (typeof one === "bigint" ? { n: one.toString() } : one));
}

export function fromBigintJson(text: string): unknown {
  return JSON.parse(text, (_, one) =>
    typeof one === "object" && one !== null && typeof one.n === "string" && Object.keys(one).length === 1
      ? BigInt(one.n)
      : one,
  );
}

/** A replacer for `JSON.stringify` that writes a bigint as its decimal string. */
export function decimalText(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
