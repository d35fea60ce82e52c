/** Random choices of a model test. The same seed gives the same choices (mulberry32). */
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

  of<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }

  /** True with probability 1 / `inTimes`. */
  once(inTimes: number): boolean {
    return this.below(inTimes) === 0;
  }
}

/** The seeds of a model test: `count` of them from NOONTEST_SEED (1) on. NOONTEST_SEEDS overrides the count. */
export function seeds(count: number): number[] {
  const first = Number(process.env.NOONTEST_SEED ?? 1);
  return Array.from({ length: Number(process.env.NOONTEST_SEEDS ?? count) }, (_, index) => first + index);
}
