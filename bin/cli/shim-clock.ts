import type { Logger } from "pino";
import { hasClock, type ObjectStore } from "../../src/object-store/object-store.ts";
import { StoreTime, TOLERATED_SKEW_MS } from "../../src/shim/node/store-time.ts";
import { logProblem } from "./log.ts";

/** How often a host is measured against its store (ms). */
const EVERY_MS = 60_000;

export interface ShimClock {
  now(): number;
  /** ms; undefined where the store has no clock. */
  skew(): number | undefined;
  stop(): void;
}

/** The host's clock, put right by the store's where it has one. */
export async function shimClock(store: ObjectStore, log: Logger): Promise<ShimClock> {
  const wall = () => Date.now();
  if (!hasClock(store)) return { now: wall, skew: () => undefined, stop: () => {} };
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
  // A server that could not start must not be kept waiting by it.
  const timer = setInterval(measure, EVERY_MS).unref();
  return { now: () => time.now(), skew: () => time.skew, stop: () => clearInterval(timer) };
}
