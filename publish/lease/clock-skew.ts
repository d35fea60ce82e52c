/** The publisher's clock against the store's, which is the common one (docs/spec/publishing.md#clocks). */
import { ClockOffset, provenSkew, shifted } from "../../src/object-store/clock-offset.ts";
import { hasClock, type ObjectStore } from "../../src/object-store/object-store.ts";
import { EXIT, Failure } from "../../src/values/failure.ts";
import { type Clock, hostWall, movedBy } from "../clock/clock.ts";

/** Up to here a difference (ms) is not worth telling. */
const TOLERATED_MS = 2_000;
/** Above it nothing is put. */
const STOPPING_MS = 60_000;

export class StoreSkew {
  readonly #store: ObjectStore;
  readonly #clock: Clock;
  /** Of the monotonic clock: that the host's is set changes nothing of it. */
  readonly #offset = new ClockOffset();

  /** Measured is with every answer of the store, at no request more. */
  constructor(store: ObjectStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    const monotonic = () => clock.monotonic();
    if (hasClock(store)) store.watchClock(monotonic, (bounds) => this.#offset.add(bounds, monotonic()));
  }

  /** How far this host is ahead of the store (ms, negative behind); null where it is in step or the store has no clock. */
  get telling(): number | null {
    const skew = Math.round(this.offset ?? 0);
    return Math.abs(skew) > TOLERATED_MS ? skew : null;
  }

  /** As the answers of the last minutes prove it, worth telling or not; undefined before the first. */
  get offset(): number | undefined {
    const { bounds } = this.#offset;
    return bounds && provenSkew(shifted(bounds, this.#clock.wall() - this.#clock.monotonic()));
  }

  /** The same of the host's own clock, which may have moved (`SteadyClock`). */
  get hostOffset(): number | undefined {
    const { bounds } = this.#offset;
    return bounds && provenSkew(shifted(bounds, hostWall(this.#clock) - this.#clock.monotonic()));
  }

  /**
   * Throws `Failure` clock_skew where the clocks are too far apart to put anything. Asks the store only where nothing
   * is known yet and, lest one odd answer stop a publisher, before it says so.
   */
  async check(): Promise<void> {
    if (!hasClock(this.#store) || this.#isInStep(this.offset) || this.#isInStep(this.hostOffset)) return;
    const bounds = await this.#store.measureClock(() => this.#clock.wall());
    const skew = provenSkew(bounds);
    // A machine that slept: its own clock is right, and the one that we publish with follows it at the next look.
    const hostSkew = provenSkew(shifted(bounds, movedBy(this.#clock)));
    if (this.#isInStep(skew) || this.#isInStep(hostSkew)) return;
    const difference = `${Math.round(Math.abs(skew) / 1000)} s ${skew > 0 ? "ahead of" : "behind"}`;
    throw new Failure("clock_skew", `this host's clock is ${difference} that of ${this.#store.name}`, {
      exit: EXIT.failed,
      hint: "Nothing is put by a clock that is more than a minute wrong. Set it right (NTP), then start again.",
    });
  }

  #isInStep(skew: number | undefined): boolean {
    return skew !== undefined && Math.abs(skew) <= STOPPING_MS;
  }
}
