/** The timers of a schedule, handed down so that a test sets them off. */
import { type Logger, schedule } from "node-cron";

export interface CronTimer {
  /** The pattern's next instant by the wall clock (epoch ms); undefined where it has none. */
  nextRun(): number | undefined;
  stop(): void;
}

export interface Timers {
  /** By the wall clock, UTC: it may be late, and does not fire for long after that clock was set back. */
  cron(pattern: string, fire: () => void): CronTimer;
  /** By a clock that nobody sets; what it gives ends it. */
  every(ms: number, fire: () => void): () => void;
  after(ms: number, fire: () => void): () => void;
}

/** The longest that setTimeout takes. */
const LONGEST_MS = 2 ** 31 - 1;

const nothing = () => {};
/** What node-cron would print of a missed run stands in nobody's log: `Cadence` notices by itself. */
const SILENT: Logger = { info: nothing, warn: nothing, error: nothing, debug: nothing };

export const systemTimers: Timers = {
  cron(pattern, fire) {
    const task = schedule(pattern, fire, { timezone: "UTC", logger: SILENT });
    return { nextRun: () => task.getNextRun()?.getTime(), stop: () => void task.destroy() };
  },
  every(ms, fire) {
    const timer = setInterval(fire, ms);
    return () => clearInterval(timer);
  },
  after(ms, fire) {
    const timer = setTimeout(fire, Math.min(Math.max(0, ms), LONGEST_MS));
    return () => clearTimeout(timer);
  },
};
