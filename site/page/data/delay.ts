/** How long a view waits before it is asked again. */

/** While requests fail no view waits longer than this, so that the device is requested within two minutes all the same. */
const LONGEST_MS = 115_000;
/** Readers who lost the same server shall not come back in step. */
const SPREAD = 0.2;

export interface Waiting {
  /** Between two responses, in ms. */
  readonly every: number;
  /** Failed requests since the last good one. */
  readonly failures: number;
  /** Seconds that the server asked for. */
  readonly retryAfter?: number | undefined;
}

/** In ms; `random` is from 0 to 1. Twice as long after each failure, never less than twice `every` while they last. */
export function delayOf({ every, failures, retryAfter = 0 }: Waiting, random: number): number {
  if (failures === 0) return every;
  const longest = Math.max(2 * every, LONGEST_MS);
  const doubled = every * 2 ** Math.min(failures, 10) * (1 + SPREAD * random);
  return Math.max(Math.min(doubled, longest), Math.min(retryAfter * 1000, LONGEST_MS));
}
