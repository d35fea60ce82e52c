/** A closed terminal sends SIGHUP, which ends a process like the others, so that a lease is released. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The signal that asks this process to end. A second one ends it at once. */
export function askedToStop(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const onSignal = (signal: NodeJS.Signals) => {
      for (const name of SIGNALS) process.off(name, onSignal);
      resolve(signal);
    };
    for (const name of SIGNALS) process.on(name, onSignal);
  });
}
