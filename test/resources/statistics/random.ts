/** A small seeded generator (splitmix32). The same seed gives the same history on every machine. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** A 32-bit integer. */
  next(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0;
    let mixed = this.#state ^ (this.#state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  }

  /** An integer from least to most, inclusive. */
  between(least: number, most: number): number {
    return least + Math.floor((this.next() / 2 ** 32) * (most - least + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability * 2 ** 32;
  }

  pick<const T>(from: readonly T[]): T {
    return from[this.between(0, from.length - 1)] as T;
  }

  /** Less than 2^count. */
  bits(count: number): bigint {
    let value = 0n;
    for (let have = 0; have < count; have += 32) value = (value << 32n) | BigInt(this.next());
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

  /** Merges the lists in random order, in sequence or mixed. Each list keeps its order. */
  interleave<T>(lists: readonly (readonly T[])[]): T[] {
    if (this.chance(0.5)) return this.shuffle(lists).flat();
    const turns = this.shuffle(lists.flatMap((list, index) => list.map(() => index)));
    const taken = lists.map(() => 0);
    return turns.map((index) => {
      const item = lists[index]?.[taken[index] ?? 0] as T;
      taken[index] = (taken[index] ?? 0) + 1;
      return item;
    });
  }
}
