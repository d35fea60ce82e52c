/** The publisher's clock against the store's, which is the common one (docs/spec/publishing.md#clocks). */
import { hasClock, type ObjectStore } from "../../src/object-store/object-store.ts";
import { EXIT, Failure } from "../../src/values/failure.ts";

/** Up to here a difference (ms) is not worth telling. */
const TOLERATED_MS = 2_000;
/** Above it nothing is put. */
const STOPPING_MS = 60_000;

export class StoreSkew {
  readonly #store: ObjectStore;
  readonly #wall: () => number;
  readonly #measured: () => number | undefined;

  /** `wall` is this host's clock (epoch ms). Measured is with every answer of the store, at no request more. */
  constructor(store: ObjectStore, wall: () => number) {
    this.#store = store;
    this.#wall = wall;
    this.#measured = hasClock(store) ? store.watchClock(wall) : () => undefined;
  }

  /** How far this host is ahead of the store (ms, negative behind); null where it is in step or the store has no clock. */
  get telling(): number | null {
    const skew = this.#measured() ?? 0;
    return Math.abs(skew) > TOLERATED_MS ? skew : null;
  }

  /** As measured last, worth telling or not; undefined before the first measurement. */
  get offset(): number | undefined {
    return this.#measured();
  }

  /**
   * Throws `Failure` clock_skew where the clocks are too far apart to put anything. Asks the store only where nothing
   * is known yet and, lest one odd answer stop a publisher, before it says so.
   */
  async check(): Promise<void> {
    if (!hasClock(this.#store) || Math.abs(this.#measured() ?? Number.POSITIVE_INFINITY) <= STOPPING_MS) return;
    const skew = await this.#store.clockSkew(this.#wall);
    if (Math.abs(skew) <= STOPPING_MS) return;
    const difference = `${Math.round(Math.abs(skew) / 1000)} s ${skew > 0 ? "ahead of" : "behind"}`;
    throw new Failure("clock_skew", `this host's clock is ${difference} that of ${this.#store.name}`, {
      exit: EXIT.failed,
      hint: "Nothing is put by a clock that is more than a minute wrong. Set it right (NTP), then start again.",
    });
  }
}
