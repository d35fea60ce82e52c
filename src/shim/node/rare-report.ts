/** A store that is down fails every request. The log needs one line of that, not one a request. */

const QUIET_MS = 10_000;

/** Passes on the first error, then at most one in ten seconds with the number in between. */
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
