/** Describes a half hour of the heat map: its appearance, and a text with its exact work. */
import type { StatisticsDay } from "../data/bodies.ts";
import { plural } from "./number.ts";
import { clockOfMinute, day, noonOf } from "./time.ts";

export type Bucket = StatisticsDay["buckets"][number];
export type SlotState = "worked" | "idle" | "missing" | "future";

const HALF_HOUR = 30;
const NOON = 720;
const MINUTE_MS = 60_000;
const STEPS = 5n;

/** Returns a day's buckets from noon on. The API orders them by the UTC clock. */
export function fromNoon(buckets: readonly Bucket[]): readonly Bucket[] {
  const after = buckets.filter(({ startMinuteUtc }) => startMinuteUtc >= NOON);
  return [...after, ...buckets.filter(({ startMinuteUtc }) => startMinuteUtc < NOON)];
}

export function slotState({ coverage, workUnits }: Bucket): SlotState {
  if (coverage === "missing" || coverage === "future") return coverage;
  return workUnits === "0" ? "idle" : "worked";
}

/** Returns a step from 1 to 5, relative to the half hour with the most work. The work must be above 0. */
export function stepOf(workUnits: string, most: bigint): number {
  return Number((BigInt(workUnits) * STEPS + most - 1n) / most);
}

export function mostWork(days: readonly StatisticsDay[]): bigint {
  let most = 1n;
  for (const { buckets } of days) {
    for (const { workUnits } of buckets) if (workUnits !== null && BigInt(workUnits) > most) most = BigInt(workUnits);
  }
  return most;
}

/** Returns the text of a cell without its row and column. */
export function cellWords(bucket: Bucket): string {
  const { coverage, workUnits, observedRoundCount } = bucket;
  if (coverage === "missing") return "Missing: no accepted round, work not known";
  if (coverage === "future") return "Not yet";
  const work = workUnits === "0" ? "Idle, 0 units" : plural(workUnits ?? "0", "unit");
  return coverage === "complete" ? work : `${work}, partial: ${observedRoundCount} of 3 rounds accepted`;
}

/** "Sat 21 Nov, 17:30–18:00 UTC". */
export function slotWords(date: string, { startMinuteUtc }: Bucket): string {
  return `${day(slotStart(date, startMinuteUtc))}, ${slotClock(startMinuteUtc)} UTC`;
}

export function slotClock(startMinute: number): string {
  return `${clockOfMinute(startMinute)}–${clockOfMinute(startMinute + HALF_HOUR)}`;
}

/** Half hours before noon belong to the following calendar date. */
function slotStart(date: string, startMinute: number): number {
  const fromNoon = (startMinute - NOON + 1440) % 1440;
  return noonOf(date) + fromNoon * MINUTE_MS;
}
