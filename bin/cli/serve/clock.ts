/**
 * The clock of `serve` (docs/spec/publishing.md#clocks): the store's if it has one, because the publisher dates
 * successors by it. Fractions of a second, and the time over a directory, come from the host's clock.
 */
import type { Logger } from "pino";
import { SteadyClock, systemClock } from "../../../publish/clock/clock.ts";
import { ClockOffset, provenSkew, shifted } from "../../../src/object-store/clock-offset.ts";
import { hasClock, type ObjectStore, type StoreClock } from "../../../src/object-store/object-store.ts";
import { logClockMove, logProblem } from "../log.ts";

/** Interval (ms) of the measurements of the host's clock against the store's. */
const MEASURE_INTERVAL_MS = 60_000;

export interface ShimClock {
  now(): number;
  /** Milliseconds; undefined if the store has no clock. */
  skew(): number | undefined;
  stop(): void;
}

/** Interval (ms) of the checks of the host's clock. */
const CHECK_INTERVAL_MS = 1_000;
const WHILE_UNTRUSTED =
  "responses go by the later of it and the shim's own count until it has been steady for a minute";

/**
 * Returns the clock over a directory, which has no clock (docs/spec/publishing.md#moved-clock). While the host's clock
 * is not trusted, the later time counts: a device may become `stale` too early, but never stays `online` too long.
 */
function clockOfTheHost(log: Logger): ShimClock {
  const clock = new SteadyClock(systemClock);
  const timer = setInterval(() => logClockMove(log, clock.check(), WHILE_UNTRUSTED), CHECK_INTERVAL_MS).unref();
  const now = () => Math.max(clock.hostWall(), clock.wall());
  return { now, skew: () => undefined, stop: () => clearInterval(timer) };
}

/** Returns the host's clock, corrected by the store's if it has one. */
export async function shimClock(store: ObjectStore, log: Logger): Promise<ShimClock> {
  if (!hasClock(store)) return clockOfTheHost(log);
  const wall = () => Date.now();
  const time = new StoreTime(store, { wall, monotonic: () => performance.now() });
  const measure = async () => {
    try {
      const skew = await time.measure();
      if (Math.abs(skew) > TOLERATED_SKEW_MS) log.warn({ skewMs: skew }, "this host's clock differs from the store's");
    } catch (error) {
      logProblem(log, "the store's clock cannot be read", error);
    }
  };
  await measure();
  // The timer must not keep a server alive that could not start.
  const timer = setInterval(measure, MEASURE_INTERVAL_MS).unref();
  return { now: () => time.now(), skew: () => time.skew, stop: () => clearInterval(timer) };
}

/** A difference above this (ms) is logged. */
const TOLERATED_SKEW_MS = 2000;

interface Clocks {
  /** This host's clock (epoch ms). */
  wall(): number;
  /** Milliseconds of a monotonic clock. */
  monotonic(): number;
}

/** The store's time, measured once a minute and continued by the host's clock. */
export class StoreTime {
  readonly #store: Pick<StoreClock, "measureClock">;
  readonly #clocks: Clocks;
  /** Relative to the monotonic clock, so that setting the host's clock does not change it. */
  readonly #offset = new ClockOffset();
  #last: { readonly time: number; readonly monotonic: number } | undefined;

  constructor(store: Pick<StoreClock, "measureClock">, clocks: Clocks) {
    this.#store = store;
    this.#clocks = clocks;
  }

  /** How far the host is provably ahead of the store (ms); undefined before the first measurement. */
  get skew(): number | undefined {
    const { bounds } = this.#offset;
    return bounds && Math.round(provenSkew(shifted(bounds, this.#clocks.wall() - this.#clocks.monotonic())));
  }

  /** Returns the store's time (epoch ms). It never goes back: if it is ahead, it runs at half speed for a while. */
  now(): number {
    const monotonic = this.#clocks.monotonic();
    const target = this.#clocks.wall() - (this.skew ?? 0);
    const last = this.#last;
    const slowed = last === undefined ? target : last.time + Math.floor((monotonic - last.monotonic) / 2);
    const time = Math.max(target, slowed);
    // Kept until the time advances. Otherwise frequent calls would lose each half millisecond to rounding.
    if (last === undefined || time > last.time) this.#last = { time, monotonic };
    return time;
  }

  /** Measures the skew again. Throws `StoreUnavailable`; earlier measurements then remain. */
  async measure(): Promise<number> {
    const { monotonic } = this.#clocks;
    this.#offset.add(await this.#store.measureClock(monotonic), monotonic());
    return this.skew ?? 0;
  }
}
