/** Compares the publisher's clock with the store's, which all publishers and shims share (docs/spec/publishing.md#clocks). */
import { ClockOffset, provenSkew, shifted } from "../../src/object-store/clock-offset.ts";
import { hasClock, type ObjectStore } from "../../src/object-store/object-store.ts";
import { EXIT, Failure } from "../../src/values/failure.ts";
import { type Clock, hostWall, movedBy } from "../clock/clock.ts";

/** Smaller differences (ms) are not reported. */
const REPORTED_FROM_MS = 2_000;
/** With a larger difference (ms) the publisher writes nothing. */
const STEP_LIMIT_MS = 60_000;

export class StoreSkew {
  readonly #store: ObjectStore;
  readonly #clock: Clock;
  /** The store's clock against our monotonic clock, so that setting the host's clock does not change it. */
  readonly #offset = new ClockOffset();

  /** Every response of the store is a measurement; no extra request is needed. */
  constructor(store: ObjectStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    const monotonic = () => clock.monotonic();
    if (hasClock(store)) store.watchClock(monotonic, (bounds) => this.#offset.add(bounds, monotonic()));
  }

  /** How far the publishing clock is ahead of the store's (ms); null if that is small or the store has no clock. */
  get reportedMs(): number | null {
    const skew = Math.round(this.offset ?? 0);
    return Math.abs(skew) > REPORTED_FROM_MS ? skew : null;
  }

  /** The difference as measured (ms), even if it is small; undefined before the first response. */
  get offset(): number | undefined {
    const { bounds } = this.#offset;
    return bounds && provenSkew(shifted(bounds, this.#clock.wall() - this.#clock.monotonic()));
  }

  /** How far the host's own clock is ahead of the store's (ms). It may have moved (`SteadyClock`). */
  get hostOffset(): number | undefined {
    const { bounds } = this.#offset;
    return bounds && provenSkew(shifted(bounds, hostWall(this.#clock) - this.#clock.monotonic()));
  }

  /**
   * Throws `Failure` clock_skew if the clocks differ by too much. Before it throws, it asks the store once more, so that one
   * wrong response does not stop a publisher.
   */
  async check(): Promise<void> {
    if (!hasClock(this.#store) || this.#isInStep(this.offset) || this.#isInStep(this.hostOffset)) return;
    const bounds = await this.#store.measureClock(() => this.#clock.wall());
    const skew = provenSkew(bounds);
    // After sleep the host's clock is right, and the publishing clock follows it at the next tick.
    const hostSkew = provenSkew(shifted(bounds, movedBy(this.#clock)));
    if (this.#isInStep(skew) || this.#isInStep(hostSkew)) return;
    const difference = `${Math.round(Math.abs(skew) / 1000)} s ${skew > 0 ? "ahead of" : "behind"}`;
    throw new Failure("clock_skew", `this host's clock is ${difference} that of ${this.#store.name}`, {
      exit: EXIT.failed,
      hint: "Nothing is written while the clock is wrong by more than a minute. Correct it (NTP), then start again.",
    });
  }

  #isInStep(skew: number | undefined): boolean {
    return skew !== undefined && Math.abs(skew) <= STEP_LIMIT_MS;
  }
}
