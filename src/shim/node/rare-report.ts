/** A store that is down fails every request: its reader wants to hear of that, not of every request. */

const QUIET_MS = 10_000;

/** Passes the first error on, then at most one in ten seconds with the number of those in between. */
export function rareReport(
  report: (error: unknown, before: number) => void,
  monotonic: () => number,
): (error: unknown) => void {
  let silentUntil = Number.NEGATIVE_INFINITY;
  let held = 0;
  return (error) => {
    const now = monotonic();
    if (now < silentUntil) {
      held++;
      return;
    }
    report(error, held);
    held = 0;
    silentUntil = now + QUIET_MS;
  };
}
