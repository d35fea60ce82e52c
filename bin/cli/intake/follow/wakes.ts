/** Decides when to poll: half a second after the last poll, or sooner if the system reports a change. */
import { type FSWatcher, watch } from "node:fs";
import { pause } from "../../signals.ts";

const STEADY_MS = 500;
/** The wait after a change, so that several lines of a line-by-line writer need only one commit. */
const GATHER_MS = 10;

export interface WakeSources {
  /** Resolves after `ms`, or as soon as the signal is aborted. */
  pause(ms: number, signal: AbortSignal): Promise<unknown>;
  /** Calls `changed` on each change in a directory. Returns a function that ends this. */
  changes(directory: string, changed: () => void): () => void;
}

/** Yields when a poll is due, immediately at first, until the signal is aborted. */
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
  pause,
  changes(directory, changed) {
    let watcher: FSWatcher;
    try {
      watcher = watch(directory, { persistent: false }, changed);
    } catch {
      // If no watch is available, such as at the system's limit, only the timer causes polls.
      return () => undefined;
    }
    watcher.on("error", () => watcher.close());
    return () => watcher.close();
  },
};
