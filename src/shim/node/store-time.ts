/**
 * The shim's clock over a store with a clock (docs/spec/publishing.md#clocks). The store's is the common clock, by which the
 * publisher dated the successors. Below its whole seconds the host's own clock decides.
 */
import { ClockOffset, provenSkew, shifted } from "../../object-store/clock-offset.ts";
import type { StoreClock } from "../../object-store/object-store.ts";

/** A difference above this (ms) is logged. */
export const TOLERATED_SKEW_MS = 2000;

interface Clocks {
  /** This host's clock (epoch ms). */
  wall(): number;
  /** Milliseconds of a monotonic clock. */
  monotonic(): number;
}

export class StoreTime {
  readonly #store: Pick<StoreClock, "measureClock">;
  readonly #clocks: Clocks;
  /** By the monotonic clock, so that setting the host's clock does not change it. */
  readonly #offset = new ClockOffset();
  #last: { readonly time: number; readonly monotonic: number } | undefined;

  constructor(store: Pick<StoreClock, "measureClock">, clocks: Clocks) {
    this.#store = store;
    this.#clocks = clocks;
  }

  /** How far this host is provably ahead of the store (ms); undefined before the first measurement. */
  get skew(): number | undefined {
    const { bounds } = this.#offset;
    return bounds && Math.round(provenSkew(shifted(bounds, this.#clocks.wall() - this.#clocks.monotonic())));
  }

  /** Epoch ms by the common clock. It never goes back: if it is ahead it runs at half its pace for a while. */
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

  /** Measures the skew once more. Throws `StoreUnavailable`; the earlier measurements then remain. */
  async measure(): Promise<number> {
    const { monotonic } = this.#clocks;
    this.#offset.add(await this.#store.measureClock(monotonic), monotonic());
    return this.skew ?? 0;
  }
}
