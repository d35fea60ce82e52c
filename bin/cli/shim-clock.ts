import type { Logger } from "pino";
import { SteadyClock, systemClock } from "../../publish/clock/clock.ts";
import { hasClock, type ObjectStore } from "../../src/object-store/object-store.ts";
import { StoreTime, TOLERATED_SKEW_MS } from "../../src/shim/node/store-time.ts";
import { logClockMove, logProblem } from "./log.ts";

/** How often a host is measured against its store (ms). */
const EVERY_MS = 60_000;

export interface ShimClock {
  now(): number;
  /** ms; undefined if the store has no clock. */
  skew(): number | undefined;
  stop(): void;
}

/** How often the host's clock is checked (ms). */
const LOOK_MS = 1_000;
const MEANWHILE = "responses go by the later of it and the shim's own count until it has been steady for a minute";

/**
 * Over a directory nobody else knows the time (docs/spec/publishing.md#moved-clock). While the host's clock is in doubt the
 * later time counts: a device may be called stale too soon, and is never called online for too long.
 */
function clockOfTheHost(log: Logger): ShimClock {
  const clock = new SteadyClock(systemClock);
  const timer = setInterval(() => logClockMove(log, clock.check(), MEANWHILE), LOOK_MS).unref();
  const now = () => Math.max(clock.hostWall(), clock.wall());
  return { now, skew: () => undefined, stop: () => clearInterval(timer) };
}

/** The host's clock, corrected by the store's if it has one. */
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
  // It must not hold up the end of a server that could not start.
  const timer = setInterval(measure, EVERY_MS).unref();
  return { now: () => time.now(), skew: () => time.skew, stop: () => clearInterval(timer) };
}
