/**
 * When cycles run: on the cadence (node-cron, UTC), and at the next instant at which an answer changes by time alone.
 * node-cron may miss or overlap a run: cycles are idempotent and nothing hangs on one being on time.
 */
import { schedule } from "node-cron";
import { isOutage } from "../cycle/outage.ts";
import type { CycleReport } from "../cycle/report.ts";
import type { Publisher } from "../publisher.ts";
import type { Clock } from "./clock.ts";

export interface ScheduleOptions {
  /** A cron pattern, seconds first. */
  readonly cadence: string;
  readonly clock: Clock;
  /** Ends the schedule; the cycle under way is finished first. */
  readonly signal: AbortSignal;
  onCycle(report: CycleReport): void;
  /** The store did not answer, or a disk is full; the next turn tries again. */
  onOutage(error: Error): void;
}

/** The longest that setTimeout takes. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** Runs until the signal; rejects with what stops a publisher, such as a lost lease. */
export function runSchedule(publisher: Publisher, options: ScheduleOptions): Promise<void> {
  const { clock, signal } = options;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  const turn = async () => {
    const at = publisher.instant(clock.wall());
    if (!publisher.isIdle(at)) options.onCycle(await publisher.cycle(at));
    const next = publisher.nextDue();
    await publisher.renewIfDue(next);
    clearTimeout(timer);
    if (next !== undefined)
      timer = setTimeout(tick, Math.min(Math.max(0, next - publisher.now(clock.wall())), LONGEST_TIMER));
  };
  const tick = () => {
    if (running !== undefined || signal.aborted) return;
    running = turn()
      .catch((error: unknown) => (isOutage(error) ? options.onOutage(error) : end(error)))
      .finally(() => {
        running = undefined;
      });
  };
  const task = schedule(options.cadence, tick, { timezone: "UTC" });
  const end = (error?: unknown) => {
    clearTimeout(timer);
    void task.destroy();
    if (error === undefined) resolve();
    else reject(error);
  };
  signal.addEventListener("abort", () => void (running ?? Promise.resolve()).then(() => end()), { once: true });
  if (signal.aborted) end();
  else tick();
  return promise;
}
