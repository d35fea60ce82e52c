/** The times of the polls: half a second after the last one, or sooner if the system reports a change. */
import { type FSWatcher, watch } from "node:fs";

const STEADY_MS = 500;
/** The wait after a change. A writer that writes line by line then costs one commit for several lines. */
const GATHER_MS = 10;

export interface WakeSources {
  /** Calls back once after the milliseconds. The returned function cancels it. */
  readonly timer: (ms: number, wake: () => void) => () => void;
  /** Calls back at each change in a directory. The returned function ends that. */
  readonly changes: (directory: string, changed: () => void) => () => void;
}

export interface Wakes {
  /** Resolves to true if another poll is due, and to false after `stop`. */
  next(): Promise<boolean>;
  stop(): void;
  readonly stopped: boolean;
}

export function wakes(directory: string, sources: WakeSources = SYSTEM): Wakes {
  let stopped = false;
  let hasChanged = false;
  let wake: () => void = () => undefined;
  let changed: () => void = () => undefined;
  const unwatch = sources.changes(directory, () => {
    hasChanged = true;
    changed();
  });
  return {
    async next() {
      if (stopped) return false;
      const { promise, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      let cancel = sources.timer(hasChanged ? GATHER_MS : STEADY_MS, resolve);
      changed = hasChanged
        ? () => undefined
        : () => {
            cancel();
            cancel = sources.timer(GATHER_MS, resolve);
            changed = () => undefined;
          };
      await promise;
      cancel();
      changed = () => undefined;
      hasChanged = false;
      return !stopped;
    },
    stop() {
      stopped = true;
      unwatch();
      wake();
    },
    get stopped() {
      return stopped;
    },
  };
}

const SYSTEM: WakeSources = {
  timer(ms, call) {
    const timeout = setTimeout(call, ms);
    return () => clearTimeout(timeout);
  },
  changes(directory, changed) {
    let watcher: FSWatcher;
    try {
      watcher = watch(directory, { persistent: false }, changed);
    } catch {
      // Without a watch, such as at the system's limit of watches, the timer alone causes the polls.
      return () => undefined;
    }
    watcher.on("error", () => watcher.close());
    return () => watcher.close();
  },
};
