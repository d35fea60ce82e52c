/** The Retry-After header (RFC 9110, 10.2.3). */

/** Seconds from `now` (epoch ms) on; null where it is absent or says neither seconds nor a date. */
export function retryAfterSeconds(header: string | null, now: number): number | null {
  const text = header ?? "";
  // Only HTTP dates: engines read a year out of almost any other text.
  const date = /^[A-Z][a-z]+, .+ GMT$/.test(text) ? Date.parse(text) : Number.NaN;
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.max(0, Math.ceil((date - now) / 1000));
  return Number.isFinite(seconds) ? seconds : null;
}
