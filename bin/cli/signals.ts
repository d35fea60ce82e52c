/** A closed terminal sends SIGHUP: it asks for the same, so that a lease is released. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The signal that asks this process to end. A second one ends it at once, as if nobody listened. */
export function askedToStop(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const heard = (signal: NodeJS.Signals) => {
      for (const name of SIGNALS) process.off(name, heard);
      resolve(signal);
    };
    for (const name of SIGNALS) process.on(name, heard);
  });
}
