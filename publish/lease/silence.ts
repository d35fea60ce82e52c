import type { Clock } from "../clock/clock.ts";
import { PUT_LIMIT_MS } from "./timing.ts";

/**
 * Whether a holder has fallen silent, by nobody's timestamp but our own clock: a lease object that stands unchanged for
 * its whole life and the time limit of a put has no living holder (docs/spec/publishing.md#one-writer).
 */
export class Silence {
  readonly #clock: Clock;
  #seen: { readonly version: string; readonly endsAt: number } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `version` differs whenever the object was written; `lifeMs` is what it says of its life. */
  isSure(version: string, lifeMs: number): boolean {
    const now = this.#clock.monotonic();
    if (this.#seen?.version !== version) this.#seen = { version, endsAt: now + lifeMs + PUT_LIMIT_MS };
    return now >= this.#seen.endsAt;
  }

  /** Until it will be sure if nothing is written (ms). */
  get left(): number {
    return this.#seen === undefined
      ? Number.POSITIVE_INFINITY
      : Math.max(0, this.#seen.endsAt - this.#clock.monotonic());
  }
}
