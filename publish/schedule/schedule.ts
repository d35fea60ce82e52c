/**
 * When cycles run: on the cadence, and at the next instant at which an answer changes by time alone. A cycle that takes
 * long keeps neither the lease nor what the operator is told waiting: both have a timer of their own.
 */

import type { Clock } from "../clock/clock.ts";
import type { Timers } from "../clock/timers.ts";
import { isOutage } from "../outage.ts";
import type { CycleReport } from "../report.ts";
import { Cadence, type LateTurn } from "./cadence.ts";

export interface ScheduleOptions {
  /** A cron pattern, seconds first, UTC. */
  readonly cadence: string;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Ends the schedule; the cycle under way is finished first. */
  readonly signal: AbortSignal;
  onCycle(report: CycleReport): void;
  /** The store did not answer, or a disk is full; the next turn tries again. */
  onOutage(error: Error): void;
  /** The clock was set, or a turn did not come. */
  onLate(late: LateTurn): void;
  /** A turn has ended, in an outage too, or none is under way: at least each second but while one is. */
  onRest?(): void;
}

/** What a schedule needs of a publisher. */
export interface Scheduled {
  /** Epoch ms by the common clock; `wall` is this host's. */
  now(wall: number): number;
  /** What a cycle now is computed for: never before the last one. */
  instant(now: number): number;
  /** Whether a cycle at this instant could have anything to do. */
  isIdle(at: number): boolean;
  cycle(at: number): Promise<CycleReport>;
  /** Checks one stored object, if it is time for that. */
  scrubIfDue(at: number): Promise<void>;
  /** The earliest instant (epoch ms) at which something changes by time alone. */
  nextDue(): number | undefined;
  renewIfDue(nextCycleAt: number | undefined): Promise<void>;
}

/** How often the lease and the cadence are looked after. */
const STEADY_MS = 1_000;

/** Runs until the signal; rejects with what stops a publisher, such as a lost lease. */
export function runSchedule(publisher: Scheduled, options: ScheduleOptions): Promise<void> {
  const { clock, timers, signal, onLate } = options;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let hasEnded = false;
  /** They never reject. */
  let running: Promise<void> | undefined;
  let renewing: Promise<void> | undefined;
  let cancelInstant = () => {};

  const failed = (error: unknown) => (isOutage(error) ? options.onOutage(error) : end(error));
  const turn = async () => {
    const at = publisher.instant(clock.wall());
    if (!publisher.isIdle(at)) options.onCycle(await publisher.cycle(at));
    await publisher.scrubIfDue(at);
    const next = publisher.nextDue();
    cancelInstant();
    if (next !== undefined && !hasEnded) cancelInstant = timers.after(next - publisher.now(clock.wall()), tick);
  };
  const tick = () => {
    if (hasEnded) return;
    running ??= turn()
      .catch(failed)
      .finally(() => {
        running = undefined;
        options.onRest?.();
      });
  };
  const renew = () => {
    renewing ??= publisher
      .renewIfDue(publisher.nextDue())
      .catch(failed)
      .finally(() => {
        renewing = undefined;
      });
  };
  const cadence = new Cadence({ pattern: options.cadence, clock, timers, onTurn: tick, onLate });
  const stopSteady = timers.every(STEADY_MS, () => {
    renew();
    cadence.check();
    if (running === undefined) options.onRest?.();
  });
  const end = (error?: unknown) => {
    hasEnded = true;
    cancelInstant();
    stopSteady();
    cadence.stop();
    // Whoever waits closes what a cycle works with.
    void Promise.all([running, renewing]).then(() => (error === undefined ? resolve() : reject(error)));
  };
  signal.addEventListener("abort", () => end(), { once: true });
  if (signal.aborted) end();
  else tick();
  return promise;
}
