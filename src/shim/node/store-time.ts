/**
 * The shim's clock over a store that has one (docs/spec/publishing.md#clocks): the store's is the common clock, by which the
 * publisher dated the scheduled versions. What the store's whole seconds leave open is left to the host's own clock.
 */
import type { StoreClock } from "../../object-store/object-store.ts";

/** A difference above this (ms) stands in the log. */
export const TOLERATED_SKEW_MS = 2000;

/** Measurements that count: one a minute, so that they are of the last minutes. */
const KEPT = 5;
/** What the store's whole seconds leave open. */
const GRAIN_MS = 999;

/** The difference lies between both (ms). */
interface Bounds {
  readonly least: number;
  readonly most: number;
}

interface Clocks {
  /** This host's clock (epoch ms). */
  wall(): number;
  /** Milliseconds of a clock that nobody sets. */
  monotonic(): number;
}

export class StoreTime {
  /** How far this host is proven to be ahead of the store (ms); undefined before a measurement has worked. */
  skew: number | undefined;
  readonly #store: Pick<StoreClock, "clockSkew">;
  readonly #clocks: Clocks;
  #measured: readonly Bounds[] = [];
  #last: { readonly time: number; readonly monotonic: number } | undefined;

  constructor(store: Pick<StoreClock, "clockSkew">, clocks: Clocks) {
    this.#store = store;
    this.#clocks = clocks;
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

  /** Throws `StoreUnavailable`; the earlier measurements then count on. */
  async measure(): Promise<number> {
    const { wall, monotonic } = this.#clocks;
    const sent = monotonic();
    const skew = await this.#store.clockSkew(() => wall());
    this.#measured = [boundsOf(skew, monotonic() - sent), ...this.#measured].slice(0, KEPT);
    this.skew = nearestToNone(this.#measured);
    return this.skew;
  }
}

/** The store gives the end that is nearer to no difference; a quick answer bounds the other end well. */
function boundsOf(skew: number, roundTrip: number): Bounds {
  const open = GRAIN_MS + roundTrip;
  return { least: skew > 0 ? skew : skew - open, most: skew < 0 ? skew : skew + open };
}

/** What all measurements prove, newest first, as far as they agree: one that does not is from before a clock was set. */
function nearestToNone([newest, ...earlier]: readonly Bounds[]): number {
  let { least, most } = newest ?? { least: 0, most: 0 };
  for (const bounds of earlier) {
    if (bounds.least > most || bounds.most < least) break;
    least = Math.max(least, bounds.least);
    most = Math.min(most, bounds.most);
  }
  if (least > 0) return least;
  return Math.min(0, most);
}
