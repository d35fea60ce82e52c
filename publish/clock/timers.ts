/** The timers of a publisher, and its cadence. Code gets them as arguments, so that tests can set the time. */
import { createTask, validate } from "node-cron";

export interface Timers {
  /**
   * Fires at each match of the pattern, by the wall clock, in UTC. Matches that a moved clock passed over are not made up
   * for. Returns a function that stops it.
   */
  cron(pattern: string, fire: () => void): () => void;
  /** Fires by the monotonic clock. Returns a function that stops it. */
  every(ms: number, fire: () => void): () => void;
  after(ms: number, fire: () => void): () => void;
}

/** The longest delay that setTimeout takes. */
const TIMEOUT_LIMIT_MS = 2 ** 31 - 1;

/** True if `pattern` has five or six fields, seconds first, and matches some instant: `0 0 0 31W 2 *` matches none. */
export function isCronPattern(pattern: string): boolean {
  return validate(pattern) && Number.isFinite(nextMatchOf(pattern)());
}

/** Returns the next match of a cron pattern in UTC after the present, in epoch ms; Infinity if there is none. */
export function nextMatchOf(pattern: string): () => number {
  const task = createTask(pattern, () => {}, { timezone: "UTC" });
  // node-cron keeps a list of every task that is not destroyed. A destroyed one can still be asked.
  void task.destroy();
  return () => {
    try {
      return task.getNextRuns(1)[0]?.getTime() ?? Number.POSITIVE_INFINITY;
    } catch {
      // node-cron throws if it finds no match.
      return Number.POSITIVE_INFINITY;
    }
  };
}

export const systemTimers: Timers = {
  // node-cron's own timer walks through every match that a moved clock passed over: for a day of seconds that takes 17 s
  // or more, in which nothing else runs.
  cron(pattern, fire) {
    const nextMatch = nextMatchOf(pattern);
    let stop = () => {};
    const wait = (match: number) => {
      stop = systemTimers.after(match - Date.now(), () => {
        // A timer may be early, and the longest delay is shorter than a year.
        if (Date.now() < match) return wait(match);
        wait(nextMatch());
        fire();
      });
    };
    wait(nextMatch());
    return () => stop();
  },
  every(ms, fire) {
    const timer = setInterval(fire, ms);
    return () => clearInterval(timer);
  },
  after(ms, fire) {
    const timer = setTimeout(fire, Math.min(Math.max(0, ms), TIMEOUT_LIMIT_MS));
    return () => clearTimeout(timer);
  },
};
