/**
 * Timestamps: RFC 3339 in, epoch milliseconds inside, ISO 8601 UTC with three decimals outside
 * (design 2, "Rules for every record"; design 4, "Values").
 */

const RFC3339 =
  /^(\d{4})-(\d{2})-(\d{2})T([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d+))?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/;
const CANONICAL_LENGTH = "2026-11-20T10:00:00.000Z".length;
const MINUTE = 60_000;

/** 0001-01-01T00:00:00.000Z and 9999-12-31T23:59:59.999Z, in epoch milliseconds. */
export const EARLIEST = Date.parse("0001-01-01T00:00:00.000Z");
export const LATEST = Date.parse("9999-12-31T23:59:59.999Z");

/**
 * Epoch milliseconds of an RFC 3339 timestamp, digits beyond the millisecond cut off;
 * `undefined` where the text is none, names no day of the calendar, or leaves the years 0001 to 9999 in UTC.
 */
export function parseTimestamp(text: string): number | undefined {
  if (text.length === CANONICAL_LENGTH && text.charCodeAt(19) === 46 && text.charCodeAt(23) === 90) {
    const quick = Date.parse(text);
    // Only a text that is its own rendering is known to be well formed: Date.parse takes much that RFC 3339 does not.
    if (quick >= EARLIEST && quick <= LATEST && new Date(quick).toISOString() === text) return quick;
  }
  const match = RFC3339.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction = "", sign, offsetHour, offsetMinute] = match;
  const local = new Date(0);
  local.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  if (local.getUTCMonth() !== Number(month) - 1 || local.getUTCDate() !== Number(day)) return undefined;
  local.setUTCHours(Number(hour), Number(minute), Number(second), Number(fraction.slice(0, 3).padEnd(3, "0")));
  const offset = sign === undefined ? 0 : (Number(offsetHour) * 60 + Number(offsetMinute)) * MINUTE;
  const instant = sign === "-" ? local.getTime() + offset : local.getTime() - offset;
  return Number(year) >= 1 && instant >= EARLIEST && instant <= LATEST ? instant : undefined;
}

/** The one way an instant is published: `2026-11-20T10:00:00.000Z`. */
export function formatTimestamp(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
