/**
 * Converts timestamps: RFC 3339 as input, epoch milliseconds in the program, ISO 8601 UTC with three decimals as output
 * (docs/spec/intake.md#records 3; docs/spec/api.md#values).
 */

const RFC3339 =
  /^(\d{4})-(\d{2})-(\d{2})T([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d+))?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/;
const PUBLISHED = "2026-11-20T10:00:00.000Z";
const SEPARATORS = [4, 7, 10, 13, 16, 19, 23].map((at) => [at, PUBLISHED.charCodeAt(at)] as const);
const MINUTE = 60_000;
const DAY = 86_400_000;

/** 0001-01-01T00:00:00.000Z and 9999-12-31T23:59:59.999Z, in epoch milliseconds. */
export const EARLIEST = Date.parse("0001-01-01T00:00:00.000Z");
export const LATEST = Date.parse("9999-12-31T23:59:59.999Z");

/**
 * Returns epoch milliseconds of an RFC 3339 timestamp, ignoring digits after the millisecond. Returns `undefined` if
 * the text is not a timestamp, names a day that does not exist, or is outside the years 0001 to 9999 in UTC.
 */
export function parseTimestamp(text: string): number | undefined {
  const quick = parsePublished(text);
  if (quick !== undefined) return quick;
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

/** Returns an instant in its published form: `2026-11-20T10:00:00.000Z`. */
export function formatTimestamp(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/**
 * Parses the published form digit by digit: most timestamps have it, and Date.parse is slower and accepts other forms.
 * Returns undefined for anything else, valid or not.
 */
function parsePublished(text: string): number | undefined {
  if (text.length !== PUBLISHED.length) return undefined;
  for (const [at, separator] of SEPARATORS) if (text.charCodeAt(at) !== separator) return undefined;
  const year = digits(text, 0, 4);
  const month = digits(text, 5, 7);
  const day = digits(text, 8, 10);
  const hour = digits(text, 11, 13);
  const minute = digits(text, 14, 16);
  const second = digits(text, 17, 19);
  const millisecond = digits(text, 20, 23);
  // `parseTimestamp` handles days 29 to 31 with the calendar. A comparison with NaN is false.
  if (!(year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= 28)) return undefined;
  if (!(hour <= 23 && minute <= 59 && second <= 59 && millisecond >= 0)) return undefined;
  return daysSinceEpoch(year, month, day) * DAY + hour * 3_600_000 + minute * MINUTE + second * 1000 + millisecond;
}

function digits(text: string, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}

/** Counts days of the proleptic Gregorian calendar; years start in March, so that a leap day is the last day. */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const marchYear = month > 2 ? year : year - 1;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const leapDays = Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400);
  return 365 * marchYear + leapDays + dayOfYear - 719_468;
}
