/**
 * The fastest of up to ten runs, in ms. This filters out noise from other processes, compilation and garbage
 * collection.
 */
export function fastestMs(run: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 10 && least > 1; tries++) {
    const before = performance.now();
    run();
    least = Math.min(least, performance.now() - before);
  }
  return least;
}
