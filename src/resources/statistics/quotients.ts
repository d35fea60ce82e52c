/** Quotients, medians and ranks (docs/spec/api.md#statistics-terms). All are rounded down; work is never a float. */
import { UINT64_MAX } from "../../values/decimal.ts";

/** Returns `part` / `whole` in basis points; 0 if `whole` is 0. `part` must be below 2^53 / 10,000. */
export function bps(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.floor((part * 10_000) / whole);
}

/** Returns a mean in thousandths; null if `count` is 0. */
export function meanMilli(total: bigint, count: number): bigint | null {
  return count === 0 ? null : (total * 1000n) / BigInt(count);
}

/** Returns the median of ascending values; of an even count, the mean of the middle two. Null if there are none. */
export function median(ascending: ArrayLike<bigint>): bigint | null {
  const { length } = ascending;
  const upper = ascending[length >> 1];
  if (upper === undefined) return null;
  return length % 2 === 1 ? upper : ((ascending[(length >> 1) - 1] ?? upper) + upper) / 2n;
}

/** Returns the ceil(p·n)-th smallest of ascending values, p in percent from 1 to 100; null if there are none. */
export function nearestRank<T>(ascending: ArrayLike<T>, percent: number): T | null {
  return ascending[Math.ceil((percent * ascending.length) / 100) - 1] ?? null;
}

/** Returns a sorted copy. Sorts 64-bit values natively for speed: a body has thousands of rounds. */
export function ascendingOf(values: readonly bigint[]): ArrayLike<bigint> {
  return values.every((value) => value <= UINT64_MAX)
    ? BigUint64Array.from(values).sort()
    : values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}
