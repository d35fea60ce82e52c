import { setTimeout as wait } from "node:timers/promises";

/** SIGHUP of a closed terminal ends a process like the others, so that the lease is released. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Resolves with the signal that stops this process. A second signal ends it immediately. */
export function askedToStop(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const onSignal = (signal: NodeJS.Signals) => {
      for (const name of SIGNALS) process.off(name, onSignal);
      resolve(signal);
    };
    for (const name of SIGNALS) process.on(name, onSignal);
  });
}

/** Waits for `ms`, or until the signal. That is no failure: every caller looks at the signal next. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return wait(ms, undefined, { signal }).catch(() => {});
}
