/** When to look again: half a second after the last look, or sooner if the system reports a change. */
import { type FSWatcher, watch } from "node:fs";

const STEADY_MS = 500;
/** After a change: a writer that writes line by line costs a commit for some of them, not for each. */
const GATHER_MS = 10;

export interface WakeSources {
  /** Calls back once after so many milliseconds; what it gives cancels that. */
  readonly timer: (ms: number, wake: () => void) => () => void;
  /** Calls back at each change in a directory; what it gives ends that. */
  readonly changes: (directory: string, changed: () => void) => () => void;
}

export interface Wakes {
  /** True if another look is due; false once `stop` was called. */
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
      // No watch, as where the system has given out all it has: the timer alone is prompt enough.
      return () => undefined;
    }
    watcher.on("error", () => watcher.close());
    return () => watcher.close();
  },
};
