/**
 * The shim's clock over a store that has one (docs/spec/publishing.md#clocks): the store's is the common clock, by which the
 * publisher dated the scheduled versions. What the store's whole seconds leave open is left to the host's own clock.
 */
import { ClockOffset, provenSkew, shifted } from "../../object-store/clock-offset.ts";
import type { StoreClock } from "../../object-store/object-store.ts";

/** A difference above this (ms) stands in the log. */
export const TOLERATED_SKEW_MS = 2000;

interface Clocks {
  /** This host's clock (epoch ms). */
  wall(): number;
  /** Milliseconds of a clock that nobody sets. */
  monotonic(): number;
}

export class StoreTime {
  readonly #store: Pick<StoreClock, "measureClock">;
  readonly #clocks: Clocks;
  /** Of the monotonic clock: that the host's is set changes nothing of it. */
  readonly #offset = new ClockOffset();
  #last: { readonly time: number; readonly monotonic: number } | undefined;

  constructor(store: Pick<StoreClock, "measureClock">, clocks: Clocks) {
    this.#store = store;
    this.#clocks = clocks;
  }

  /** How far this host is proven to be ahead of the store (ms); undefined before a measurement has worked. */
  get skew(): number | undefined {
    const { bounds } = this.#offset;
    return bounds && Math.round(provenSkew(shifted(bounds, this.#clocks.wall() - this.#clocks.monotonic())));
  }

  /** Epoch ms by the common clock. Never goes back: where it is found to be ahead it runs at half its pace for a while. */
  now(): number {
    const monotonic = this.#clocks.monotonic();
    const meant = this.#clocks.wall() - (this.skew ?? 0);
    const last = this.#last;
    const slowed = last === undefined ? meant : last.time + Math.floor((monotonic - last.monotonic) / 2);
    const time = Math.max(meant, slowed);
    // Half of a millisecond that has not passed yet must not get lost in many calls.
    if (last === undefined || time > last.time) this.#last = { time, monotonic };
    return time;
  }

  /** The skew with one measurement more. Throws `StoreUnavailable`; the earlier measurements then count on. */
  async measure(): Promise<number> {
    const { monotonic } = this.#clocks;
    this.#offset.add(await this.#store.measureClock(monotonic), monotonic());
    return this.skew ?? 0;
  }
}
