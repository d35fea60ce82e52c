/**
 * Quotients, medians and ranks (docs/spec/api.md#statistics-terms): all floored, none of them a float where work is
 * concerned.
 */
import { UINT64_MAX } from "../../../values/decimal.ts";

/** `part` of `whole` in basis points; 0 where there is no whole. Counts below 2^53 / 10,000. */
export function bps(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.floor((part * 10_000) / whole);
}

/** A mean in thousandths; null over nothing. */
export function meanMilli(total: bigint, count: number): bigint | null {
  return count === 0 ? null : (total * 1000n) / BigInt(count);
}

/** The middle of ascending values, of an even count the mean of the two middle ones; null over nothing. */
export function median(ascending: ArrayLike<bigint>): bigint | null {
  const { length } = ascending;
  const upper = ascending[length >> 1];
  if (upper === undefined) return null;
  return length % 2 === 1 ? upper : ((ascending[(length >> 1) - 1] ?? upper) + upper) / 2n;
}

/** The ceil(p·n)-th smallest of ascending values, `percent` of 1 to 100; null over nothing. */
export function nearestRank<T>(ascending: ArrayLike<T>, percent: number): T | null {
  return ascending[Math.ceil((percent * ascending.length) / 100) - 1] ?? null;
}

/** Sorted copies; values within 64 bits are sorted natively, which thousands of rounds a body are glad of. */
export function ascendingOf(values: readonly bigint[]): ArrayLike<bigint> {
  return values.every((value) => value <= UINT64_MAX)
    ? BigUint64Array.from(values).sort()
    : values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}
