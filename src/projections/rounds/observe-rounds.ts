/** Adds observed rounds to an installation's days, totals and intervals; in any order, each once. */
import type { Database } from "better-sqlite3";
import { dayOfSlot, firstSlotOf, SLOTS_PER_HALF_HOUR } from "../../values/slot.ts";
import { addToIntervals } from "./intervals.ts";
import { better, type RoundTotals, readRoundTotals, writeRoundTotals } from "./round-totals.ts";
import { type DayRounds, emptyDay, readDay, writeDay } from "./rounds-day.ts";

export interface ObservedRound {
  readonly slot: number;
  readonly work: bigint;
  /** Millimetres; undefined where it is unknown. */
  readonly distance: bigint | undefined;
}

/** A round that is in already changes nothing. */
export function observeRounds(projections: Database, installation: number, rounds: readonly ObservedRound[]): void {
  if (rounds.length === 0) return;
  const totals = readRoundTotals(projections, installation) ?? emptyTotals();
  const days = new Map<number, DayRounds>();
  const halfHours = new Set<number>();
  const activeSlots: number[] = [];
  const activeDays: number[] = [];
  const dayOf = (number: number) => {
    let day = days.get(number);
    if (day === undefined) {
      days.set(number, (day = readDay(projections, installation, number) ?? emptyDay(number)));
    }
    return day;
  };

  for (const { slot, work, distance } of rounds) {
    const day = dayOf(dayOfSlot(slot));
    const index = slot - firstSlotOf(day.day);
    if (day.rounds[index] !== undefined) continue;
    day.rounds[index] = work;
    day.observed += 1;
    totals.observed += 1;
    totals.firstSlot = Math.min(totals.firstSlot, slot);
    totals.lastSlot = Math.max(totals.lastSlot, slot);
    if (distance !== undefined) {
      day.measured += 1;
      day.distance += distance;
      totals.distance += distance;
    }
    if (work === 0n) continue;
    if (day.work === 0n) activeDays.push(day.day);
    day.work += work;
    totals.work += work;
    activeSlots.push(slot);
    halfHours.add(Math.floor(slot / SLOTS_PER_HALF_HOUR));
  }

  totals.activeDays += activeDays.length;
  for (const halfHour of halfHours) {
    totals.bestHalfHour = better(totals.bestHalfHour, halfHourWork(dayOf, halfHour), halfHour);
  }
  for (const day of days.values()) {
    totals.bestDay = better(totals.bestDay, day.work, day.day);
    totals.farthestDay = better(totals.farthestDay, day.distance, day.day);
    writeDay(projections, installation, day);
  }
  addToIntervals(projections, installation, "slot", ascending(activeSlots));
  addToIntervals(projections, installation, "day", ascending(activeDays));
  writeRoundTotals(projections, installation, totals);
}

function halfHourWork(dayOf: (number: number) => DayRounds, halfHour: number): bigint {
  const slot = halfHour * SLOTS_PER_HALF_HOUR;
  const day = dayOf(dayOfSlot(slot));
  const index = slot - firstSlotOf(day.day);
  return day.rounds.slice(index, index + SLOTS_PER_HALF_HOUR).reduce<bigint>((sum, work) => sum + (work ?? 0n), 0n);
}

function emptyTotals(): RoundTotals {
  return {
    observed: 0,
    work: 0n,
    distance: 0n,
    activeDays: 0,
    firstSlot: Number.POSITIVE_INFINITY,
    lastSlot: Number.NEGATIVE_INFINITY,
    bestHalfHour: undefined,
    bestDay: undefined,
    farthestDay: undefined,
  };
}

function ascending(numbers: number[]): number[] {
  return numbers.sort((a, b) => a - b);
}
