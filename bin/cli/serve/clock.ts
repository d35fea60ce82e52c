/**
 * The clock of `serve` (docs/spec/publishing.md#clocks). Over a bucket it is the store's time if that differs from the
 * host's. Over a directory it is the later one of the host's clock and the own count, until the host's clock is steady.
 */
import type { Logger } from "pino";
import { CLOCK_TOLERANCE_MS, type Clock, systemClock, WatchedClock } from "../../../publish/clock/clock.ts";
import { clockMoved } from "../../../publish/clock/compare.ts";
import { ClockOffset, provenSkew, shifted } from "../../../src/object-store/clock-offset.ts";
import { hasClock, type ObjectStore } from "../../../src/object-store/object-store.ts";
import { errorOf } from "../../../src/values/unknown.ts";
import { logProblem } from "../log.ts";
import { Outage } from "../outage.ts";

/** Interval (ms) of the measurements of the host's clock against the store's. */
const MEASURE_INTERVAL_MS = 60_000;
/** Interval (ms) of the checks of the host's clock. */
const CHECK_INTERVAL_MS = 1_000;

export interface ShimClock {
  /** Epoch ms. */
  now(): number;
  /** How far the host's clock is ahead of the store's (ms); undefined if the store has no clock. */
  skew(): number | undefined;
  stop(): void;
}

export async function shimClock(store: ObjectStore, log: Logger, host: Clock = systemClock): Promise<ShimClock> {
  if (!hasClock(store)) return clockOverDirectory(log, host);
  const offset = new ClockOffset();
  const { wall, monotonic } = host;
  const skew = () => {
    const { bounds } = offset;
    return bounds && Math.round(provenSkew(shifted(bounds, wall() - monotonic())));
  };
  const unread = new Outage(monotonic, {
    lasts: (error, failures) => logProblem(log, "the store's clock cannot be read", error, { failures }),
    ended: (afterMs) => log.info({ afterMs }, "the store's clock can be read again"),
  });
  const skewed = new Outage<number | undefined>(monotonic, {
    lasts: (skewMs) => log.warn({ skewMs }, "this host's clock differs from the store's"),
    ended: (afterMs) => log.info({ afterMs }, "this host's clock agrees with the store's again"),
  });
  const measure = async () => {
    try {
      offset.add(await store.measureClock(monotonic), monotonic());
    } catch (error) {
      return unread.failed(errorOf(error));
    }
    unread.succeeded();
    if (differs(skew())) skewed.failed(skew());
    else skewed.succeeded();
  };
  await measure();
  // The timer must not keep a server alive that could not start.
  const timer = setInterval(measure, MEASURE_INTERVAL_MS).unref();
  const now = () => {
    const ahead = skew();
    return wall() - (differs(ahead) ? (ahead ?? 0) : 0);
  };
  return { now, skew, stop: () => clearInterval(timer) };
}

function differs(skewMs: number | undefined): boolean {
  return skewMs !== undefined && Math.abs(skewMs) > CLOCK_TOLERANCE_MS;
}

/** A device may become `stale` too early, but never stays `online` too long. */
function clockOverDirectory(log: Logger, host: Clock): ShimClock {
  const clock = new WatchedClock(host);
  let logged = 0;
  const look = () => {
    clock.check();
    if (clock.moves === logged) return;
    logged = clock.moves;
    const { code, message } = clockMoved(clock.movedMs);
    log.warn({ code, movedByMs: clock.movedMs }, `${message}: a device may be called stale too soon for a minute`);
  };
  const timer = setInterval(look, CHECK_INTERVAL_MS).unref();
  const now = () => {
    clock.check();
    return clock.later();
  };
  return { now, skew: () => undefined, stop: () => clearInterval(timer) };
}
