/**
 * Since when the nodes are being asked without a break. A publisher that has just begun, or that was asleep, has heard
 * nothing because it has not asked: its grace counts from its first attempt (docs/spec/chain.md#reading).
 */
export class Attempts {
  readonly #longestBreak: number;
  #since: number | undefined;
  /** Epoch ms until which the last attempt lasted, or may last. */
  #until = -Infinity;

  /** `longestBreak`: milliseconds between two attempts after which the count begins anew. */
  constructor(longestBreak: number) {
    this.#longestBreak = longestBreak;
  }

  /** All in epoch ms. True where the count begins anew. */
  begin(now: number, deadline: number): boolean {
    const isFirst = this.since(now) === undefined;
    if (isFirst) this.#since = now;
    this.#until = deadline;
    return isFirst;
  }

  end(now: number): void {
    // One that has overrun its deadline by so much was asleep: the next one begins anew.
    if (now - this.#until < this.#longestBreak) this.#until = now;
  }

  /** Epoch ms of the first attempt; undefined where nobody is asking. */
  since(now: number): number | undefined {
    return now - this.#until >= this.#longestBreak ? undefined : this.#since;
  }
}
