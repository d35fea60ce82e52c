/** The least time (ms) of up to ten runs: another process, a compilation or a collection of garbage is no finding. */
export function leastMs(run: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 10 && least > 1; tries++) {
    const before = performance.now();
    run();
    least = Math.min(least, performance.now() - before);
  }
  return least;
}
