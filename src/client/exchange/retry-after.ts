/** The Retry-After header (RFC 9110, 10.2.3). */

/** Seconds from `now` (epoch ms) on; null where it is absent or says neither seconds nor a date. */
export function retryAfterSeconds(header: string | null, now: number): number | null {
  if (header === null) return null;
  // Only HTTP dates: engines read a year out of almost any other text.
  const date = /^[A-Z][a-z]+, .+ GMT$/.test(header) ? Date.parse(header) : Number.NaN;
  const seconds = /^\d+$/.test(header) ? Number(header) : Math.max(0, Math.ceil((date - now) / 1000));
  return Number.isFinite(seconds) ? seconds : null;
}
