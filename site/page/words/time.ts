/** Formats instants, always in UTC. Callers add "UTC" if the text has no zone. */

const utc = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(undefined, { timeZone: "UTC", ...options });
const CLOCK = utc({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const DAY = utc({ weekday: "short", day: "numeric", month: "short" });
const FULL = utc({ dateStyle: "medium", timeStyle: "medium", hourCycle: "h23" } as Intl.DateTimeFormatOptions);
const DATE = utc({ dateStyle: "medium" });
const SHORT = utc({ day: "numeric", month: "short" });

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY_MS = 24 * HOUR;

export const ms = (iso: string) => Date.parse(iso);

/** "14:02". */
export function clock(at: number): string {
  return CLOCK.format(at);
}

/** Formats a minute of the UTC day: "05:30"; 1440 is "24:00". */
export function clockOfMinute(minute: number): string {
  return `${pad(Math.floor(minute / 60))}:${pad(minute % 60)}`;
}

/** "Sat, 21 Nov". */
export function day(at: number): string {
  return DAY.format(at);
}

/** "21 Nov". */
export function shortDay(at: number): string {
  return SHORT.format(at);
}

/** "21 Nov 2026". */
export function date(at: number): string {
  return DATE.format(at);
}

/** Returns the noon at which a date's day begins. */
export function noonOf(date: string): number {
  return Date.parse(`${date}T12:00:00.000Z`);
}

/** Formats to the second, with the zone: "22 Nov 2026, 02:42:28 UTC". */
export function full(at: number): string {
  return `${FULL.format(at)} UTC`;
}

/** "14:02 UTC" within a day of `now`, else "21 Nov, 14:02 UTC". */
export function moment(at: number, now: number): string {
  return Math.abs(now - at) < 18 * HOUR ? `${clock(at)} UTC` : `${shortDay(at)}, ${clock(at)} UTC`;
}

/** Formats a duration (ms) in its two largest units: "3 min 20 s", "2 d 4 h". */
export function span(length: number): string {
  const whole = Math.max(0, length);
  if (whole < MINUTE) return `${Math.floor(whole / SECOND)} s`;
  if (whole < HOUR) return two(whole, MINUTES, SECONDS);
  if (whole < DAY_MS) return two(whole, HOURS, MINUTES);
  return two(whole, DAYS, HOURS);
}

interface Unit {
  readonly ms: number;
  readonly name: string;
}

const SECONDS: Unit = { ms: SECOND, name: "s" };
const MINUTES: Unit = { ms: MINUTE, name: "min" };
const HOURS: Unit = { ms: HOUR, name: "h" };
const DAYS: Unit = { ms: DAY_MS, name: "d" };

function two(whole: number, large: Unit, small: Unit): string {
  const rest = Math.floor((whole % large.ms) / small.ms);
  return `${Math.floor(whole / large.ms)} ${large.name}${rest === 0 ? "" : ` ${rest} ${small.name}`}`;
}

function pad(value: number): string {
  return String(value).padStart(2, "0");
}
