/** The times of the polls: half a second after the last one, or sooner if the system reports a change. */
import { type FSWatcher, watch } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";

const STEADY_MS = 500;
/** The wait after a change. A writer that writes line by line then costs one commit for several lines. */
const GATHER_MS = 10;

export interface WakeSources {
  /** Resolves after the milliseconds, or as soon as the signal is aborted. */
  pause(ms: number, signal: AbortSignal): Promise<unknown>;
  /** Calls back at each change in a directory. The returned function ends that. */
  changes(directory: string, changed: () => void): () => void;
}

/** Yields each time that a poll is due, at once for the first one, until the signal is aborted. */
export async function* wakes(
  directory: string,
  stop: AbortSignal,
  { pause, changes }: WakeSources = SYSTEM,
): AsyncGenerator<undefined, void, undefined> {
  let change = new AbortController();
  const wake = () => change.abort();
  const unwatch = changes(directory, wake);
  stop.addEventListener("abort", wake);
  try {
    while (!stop.aborted) {
      yield;
      await pause(STEADY_MS, change.signal);
      if (!change.signal.aborted) continue;
      await pause(GATHER_MS, stop);
      change = new AbortController();
    }
  } finally {
    unwatch();
  }
}

const SYSTEM: WakeSources = {
  pause: (ms, signal) => wait(ms, undefined, { signal }).catch(() => {}),
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
