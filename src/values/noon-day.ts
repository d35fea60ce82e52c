/**
 * Universal days run from noon UTC to the next noon and are labelled with the calendar date of the first noon
 * (docs/spec/api.md#statistics-terms 1). Days are numbered from day 0, which began on 1970-01-01T12:00Z.
 */

export const DAY_MS = 86_400_000;
const NOON_MS = DAY_MS / 2;

/** Returns the number of the noon-to-noon day of an instant (epoch ms). */
export function noonDay(epochMs: number): number {
  return Math.floor((epochMs - NOON_MS) / DAY_MS);
}

/** Returns the noon (epoch ms) at which a day begins. */
export function noonOf(day: number): number {
  return day * DAY_MS + NOON_MS;
}

/** Returns the date (YYYY-MM-DD) of a day's first noon. */
export function noonDate(day: number): string {
  return new Date(noonOf(day)).toISOString().slice(0, 10);
}
