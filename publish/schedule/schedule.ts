/**
 * Runs cycles at each instant of a cron pattern, and when a response changes without new input. A separate timer renews
 * the lease, so that a long cycle does not delay it.
 */

import { isDiskFull } from "../../src/files/disk-full.ts";
import { StoreUnavailable } from "../../src/object-store/object-store.ts";
import type { Clock } from "../clock/clock.ts";
import type { Timers } from "../clock/timers.ts";
import type { CycleReport } from "../report.ts";
import { isLocked } from "../sources/source-reader.ts";

export interface ScheduleOptions {
  /** A cron pattern, seconds first, UTC. */
  readonly cadence: string;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Ends the schedule after the running cycle. */
  readonly signal: AbortSignal;
  onCycle(report: CycleReport): void;
  /** Called when a tick has found nothing to do, or its cycle has ended. */
  onTick?(): void;
  /** Called if the next try may succeed (`isOutage`). The operation is tried again. */
  onOutage(error: Error, operation: ScheduledOperation): void;
  /** Called after a check or a renewal, also if none was due. One that has failed stays due. */
  onSuccess?(operation: Exclude<ScheduledOperation, "cycle">): void;
  /** Called after each tick, and each second while none is running. */
  onIdle?(): void;
}

type ScheduledOperation = "cycle" | "scrub" | "renewal";

/** The part of a publisher that a schedule needs. */
export interface Scheduled {
  /** The instant of a cycle that runs now. It is never before the last one. */
  instant(now: number): number;
  /** True if a cycle at this instant would have nothing to do. */
  isIdle(at: number): boolean;
  cycle(at: number): Promise<CycleReport>;
  /** Checks one stored object, if due. */
  scrubIfDue(at: number): Promise<void>;
  /** The next instant (epoch ms) at which something changes without new input. */
  nextDue(): number | undefined;
  renewIfDue(): Promise<void>;
}

/** The lease and the clock are checked this often (ms). */
const CHECK_EVERY_MS = 1_000;

/** Runs until the signal; rejects with what stops a publisher, such as a lost lease. */
export function runSchedule(publisher: Scheduled, options: ScheduleOptions): Promise<void> {
  const { clock, timers, signal } = options;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let hasEnded = false;
  /** They never reject. */
  let running: Promise<void> | undefined;
  let renewing: Promise<void> | undefined;
  let cancelInstant = () => {};

  const failed = (operation: ScheduledOperation) => (error: unknown) =>
    isOutage(error) ? options.onOutage(error, operation) : end(error);
  const runTick = async () => {
    const at = publisher.instant(clock.wall());
    if (!publisher.isIdle(at)) options.onCycle(await publisher.cycle(at));
    options.onTick?.();
    await scrub(at);
    const next = publisher.nextDue();
    cancelInstant();
    if (next !== undefined && !hasEnded) cancelInstant = timers.after(next - clock.wall(), tick);
  };
  const scrub = (at: number) => publisher.scrubIfDue(at).then(() => options.onSuccess?.("scrub"), failed("scrub"));
  const tick = () => {
    if (hasEnded) return;
    running ??= runTick()
      .catch(failed("cycle"))
      .finally(() => {
        running = undefined;
        options.onIdle?.();
      });
  };
  const renew = () => {
    renewing ??= publisher
      .renewIfDue()
      .then(() => options.onSuccess?.("renewal"), failed("renewal"))
      .finally(() => {
        renewing = undefined;
      });
  };
  const stopCadence = timers.cron(options.cadence, tick);
  const stopChecks = timers.every(CHECK_EVERY_MS, () => {
    renew();
    if (running === undefined) options.onIdle?.();
  });
  const end = (error?: unknown) => {
    hasEnded = true;
    cancelInstant();
    stopChecks();
    stopCadence();
    // The caller closes the files that a cycle uses, so it must wait.
    void Promise.all([running, renewing]).then(() => (error === undefined ? resolve() : reject(error)));
  };
  signal.addEventListener("abort", () => end(), { once: true });
  if (signal.aborted) end();
  else tick();
  return promise;
}

/** True if the next tick may succeed: no response of the store, a full disk, or a lock on the projections. */
export function isOutage(error: unknown): error is Error {
  return error instanceof StoreUnavailable || isDiskFull(error) || isLocked(error);
}
