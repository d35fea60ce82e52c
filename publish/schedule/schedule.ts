/**
 * Runs cycles at each instant of a cron pattern, and when a response changes without new input. A separate timer renews the
 * lease, so that a long cycle does not delay it.
 */

import { isDiskFull } from "../../src/files/disk-full.ts";
import { StoreUnavailable } from "../../src/object-store/object-store.ts";
import { type Clock, type CronTimer, hostWall, MOVE_ALLOWANCE_MS, type Timers } from "../clock/clock.ts";
import type { CycleReport } from "../report.ts";

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
  /** Called if the store did not respond, or a disk is full. The next tick tries again. */
  onOutage(error: Error): void;
  /** Called if the clock was set, or a tick did not come. */
  onLate(late: LateTick): void;
  /** Called after each tick, and each second while none is running. */
  onRest?(): void;
}

/** The part of a publisher that a schedule needs. */
export interface Scheduled {
  /** Epoch ms, corrected by the store's clock; `wall` is this host's. */
  now(wall: number): number;
  /** The instant of a cycle that runs now. It is never before the last one. */
  instant(now: number): number;
  /** True if a cycle at this instant would have nothing to do. */
  isIdle(at: number): boolean;
  cycle(at: number): Promise<CycleReport>;
  /** Checks one stored object, if due. */
  scrubIfDue(at: number): Promise<void>;
  /** The next instant (epoch ms) at which something changes without new input. */
  nextDue(): number | undefined;
  renewIfDue(nextCycleAt: number | undefined): Promise<void>;
}

/** The lease and the cadence are checked this often (ms). */
const CHECK_EVERY_MS = 1_000;

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
  const runTick = async () => {
    const at = publisher.instant(clock.wall());
    if (!publisher.isIdle(at)) options.onCycle(await publisher.cycle(at));
    options.onTick?.();
    await publisher.scrubIfDue(at);
    const next = publisher.nextDue();
    cancelInstant();
    if (next !== undefined && !hasEnded) cancelInstant = timers.after(next - publisher.now(clock.wall()), tick);
  };
  const tick = () => {
    if (hasEnded) return;
    running ??= runTick()
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
  const cadence = new Cadence({ pattern: options.cadence, clock, timers, onTick: tick, onLate });
  const stopChecks = timers.every(CHECK_EVERY_MS, () => {
    renew();
    cadence.check();
    if (running === undefined) options.onRest?.();
  });
  const end = (error?: unknown) => {
    hasEnded = true;
    cancelInstant();
    stopChecks();
    cadence.stop();
    // The caller closes the files that a cycle uses, so it must wait.
    void Promise.all([running, renewing]).then(() => (error === undefined ? resolve() : reject(error)));
  };
  signal.addEventListener("abort", () => end(), { once: true });
  if (signal.aborted) end();
  else tick();
  return promise;
}

/** A tick that is later than this (ms) is missed. */
const OVERDUE_MS = 1_500;

/** Why a tick did not come from the pattern's timer; ms. */
export type LateTick = { readonly clockSetBy: number } | { readonly overdueBy: number };

export interface CadenceOptions {
  /** A cron pattern, seconds first. */
  readonly pattern: string;
  readonly clock: Clock;
  readonly timers: Timers;
  onTick(): void;
  onLate(late: LateTick): void;
}

/**
 * Ticks at the instants of a cron pattern, even if the wall clock is set (docs/spec/publishing.md#clock-steps). The pattern's
 * timer would wait too long after the clock was set back. `check` notices that, and a missed tick.
 */
export class Cadence {
  readonly #options: CadenceOptions;
  #cron: CronTimer;
  /** Monotonic (ms): the next tick. */
  #dueAt = Number.POSITIVE_INFINITY;
  /** The host's wall clock, which the pattern's timer uses, minus the monotonic clock (ms). */
  #wallOffset: number;

  constructor(options: CadenceOptions) {
    this.#options = options;
    this.#wallOffset = this.#currentOffset();
    this.#cron = this.#arm();
  }

  /** Must be called about once a second. */
  check(): void {
    const { clock, onLate } = this.#options;
    const clockSetBy = Math.round(this.#currentOffset() - this.#wallOffset);
    const overdueBy = Math.round(clock.monotonic() - this.#dueAt);
    if (Math.abs(clockSetBy) <= MOVE_ALLOWANCE_MS && overdueBy <= OVERDUE_MS) return;
    onLate(Math.abs(clockSetBy) > MOVE_ALLOWANCE_MS ? { clockSetBy } : { overdueBy });
    this.#wallOffset = this.#currentOffset();
    this.#cron.stop();
    this.#cron = this.#arm();
    this.#options.onTick();
  }

  stop(): void {
    this.#cron.stop();
  }

  #arm(): CronTimer {
    const { pattern, timers, onTick } = this.#options;
    const cron = timers.cron(pattern, () => {
      this.#expect(cron);
      onTick();
    });
    this.#expect(cron);
    return cron;
  }

  #expect(cron: CronTimer): void {
    const { clock } = this.#options;
    const next = cron.nextRun();
    this.#dueAt = next === undefined ? Number.POSITIVE_INFINITY : clock.monotonic() + next - hostWall(clock);
  }

  #currentOffset(): number {
    return hostWall(this.#options.clock) - this.#options.clock.monotonic();
  }
}

/** True if the next tick may succeed: the store did not respond, or a disk is full. */
export function isOutage(error: unknown): error is Error {
  return error instanceof StoreUnavailable || isDiskFull(error);
}
