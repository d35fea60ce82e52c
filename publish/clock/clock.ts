/**
 * The clocks of publisher and shim (docs/spec/publishing.md#clocks). Code gets them as arguments, so that tests can
 * set the time. `WatchedClock` notices that the host's clock was set or that the machine slept.
 */

export interface Clock {
  /** Epoch ms. */
  wall(): number;
  /** Milliseconds that never jump; for time limits. */
  monotonic(): number;
}

export const systemClock: Clock = { wall: () => Date.now(), monotonic: () => performance.now() };

/** Two clocks agree if they differ by at most this (ms). It is the one tolerance of every comparison of clocks. */
export const CLOCK_TOLERANCE_MS = 2_000;
/** A clock that moved is used again after it has been steady for this long (ms). */
export const STEADY_MS = 60_000;

interface Sample {
  /** The wall clock minus the monotonic clock (ms). */
  readonly offset: number;
  /** Monotonic (ms). */
  readonly at: number;
}

const SAMPLE_EVERY_MS = 1_000;

/**
 * A clock that **moved**: its difference from the monotonic clock has changed by more than `CLOCK_TOLERANCE_MS` within a
 * minute. Slow slewing is no move.
 */
export class WatchedClock implements Clock {
  readonly #host: Clock;
  /** Samples of the last minute, oldest first. The newest one is always kept. */
  #samples: Sample[];
  #moves = 0;
  #movedMs = 0;
  #steadySince: number;
  /** The offset before the first move of the last minute. */
  #offsetBefore: number | undefined;

  constructor(host: Clock) {
    this.#host = host;
    this.#samples = [this.#sample()];
    this.#steadySince = host.monotonic();
  }

  wall(): number {
    return this.#host.wall();
  }

  monotonic(): number {
    return this.#host.monotonic();
  }

  /** Compares the clocks. Must be called once a second, and before each use that must not have a moved time. */
  check(): void {
    const now = this.#sample();
    const before = this.#samples.find(({ offset }) => Math.abs(now.offset - offset) > CLOCK_TOLERANCE_MS);
    if (before !== undefined) {
      if (this.steadyMs >= STEADY_MS || this.#moves === 0) this.#offsetBefore = before.offset;
      this.#moves += 1;
      this.#movedMs = Math.round(now.offset - before.offset);
      this.#steadySince = now.at;
      this.#samples = [now];
      return;
    }
    if (now.at - (this.#samples.at(-1)?.at ?? 0) < SAMPLE_EVERY_MS) return;
    this.#samples = this.#samples.filter(({ at }) => now.at - at <= STEADY_MS);
    this.#samples.push(now);
  }

  /** How often the clock has moved since the start of the process. */
  get moves(): number {
    return this.#moves;
  }

  /** By how much the clock moved last (ms; negative: back); 0 before the first move. */
  get movedMs(): number {
    return this.#movedMs;
  }

  /** Time since the last move, or since the start (ms). */
  get steadyMs(): number {
    return this.#host.monotonic() - this.#steadySince;
  }

  /** Epoch ms: within a minute after a move the later one of the wall clock and the own count, else the wall clock. */
  later(): number {
    const wall = this.#host.wall();
    if (this.#offsetBefore === undefined || this.steadyMs >= STEADY_MS) return wall;
    return Math.max(wall, Math.round(this.#host.monotonic() + this.#offsetBefore));
  }

  #sample(): Sample {
    const at = this.#host.monotonic();
    return { offset: this.#host.wall() - at, at };
  }
}
