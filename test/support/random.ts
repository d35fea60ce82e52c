/** Random choices of tests. */
import * as fc from "fast-check";

/** The same seed gives the same choices (mulberry32) on every machine. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** An integer from 0 to `limit` - 1. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }

  /** An integer from least to most, inclusive. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  pick<const T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }

  /** True with probability 1 / `inTimes`. */
  once(inTimes: number): boolean {
    return this.below(inTimes) === 0;
  }

  chance(probability: number): boolean {
    return this.below(2 ** 32) < probability * 2 ** 32;
  }

  /** Less than 2^count. */
  bits(count: number): bigint {
    let value = 0n;
    for (let have = 0; have < count; have += 32) value = (value << 32n) | BigInt(this.below(2 ** 32));
    return BigInt.asUintN(count, value);
  }

  shuffle<T>(items: readonly T[]): T[] {
    const shuffled = [...items];
    for (let index = shuffled.length - 1; index > 0; index -= 1) {
      const other = this.between(0, index);
      [shuffled[index], shuffled[other]] = [shuffled[other] as T, shuffled[index] as T];
    }
    return shuffled;
  }
}

/** Any character except half a surrogate pair. fast-check's "binary" takes two seconds to list them all. */
export const anyCharacter = fc
  .nat(0x10ffff - 0x800)
  .map((point) => String.fromCodePoint(point < 0xd800 ? point : point + 0x800));

/** The seeds of a model test: `count` of them from NOONTEST_SEED (1) on. NOONTEST_SEEDS overrides the count. */
export function seeds(count: number): number[] {
  const first = Number(process.env.NOONTEST_SEED ?? 1);
  return Array.from({ length: Number(process.env.NOONTEST_SEEDS ?? count) }, (_, index) => first + index);
}
