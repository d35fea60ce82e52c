/**
 * Follows the rounds that the Oracle accepted, and observes each once it has elapsed: adds it to its day, the totals
 * and the intervals, in any order. A round that was accepted before its end waits.
 */
import type { Database } from "better-sqlite3";
import type { AcceptedRound } from "../../ledger/sources.ts";
import { type ReadOnlyDatabase, readRow, readRows, statement } from "../../sqlite/statement.ts";
import { dayOfSlot, firstSlotOf, SLOTS_PER_HALF_HOUR, slotAt, slotOfRound } from "../../values/slot.ts";
import type { Follower, StepBudget } from "../follow.ts";
import { addToIntervals, forgetIntervals } from "./intervals.ts";
import { forgetRoundTotals, greaterRecord, roundTotalsToAddTo, writeRoundTotals } from "./round-totals.ts";
import { type DayRounds, emptyDay, forgetDays, readDay, writeDay } from "./rounds-day.ts";

export const WAITING_TABLE = `
CREATE TABLE waiting_round (
  slot INTEGER PRIMARY KEY,
  work TEXT NOT NULL,
  distance TEXT
) STRICT;
`;

export const ROUNDS = "rounds";
/** Cost of one round, in microseconds. */
const COST = 10;

/** Follows accepted rounds; `genesis` in seconds, `at` in epoch ms. Rounds that have not elapsed at `at` wait. */
export function roundFollower(installationId: string, genesis: bigint, at: number): Follower<AcceptedRound> {
  const now = slotAt(at);
  return {
    name: ROUNDS,
    version: `1 ${installationId} ${genesis}`,
    cost: COST,
    apply(projections, rounds) {
      const elapsed: ObservedRound[] = [];
      const wait = statement(projections, "INSERT OR REPLACE INTO waiting_round VALUES (?, ?, ?)");
      for (const { roundId, workUnits, distanceMm } of rounds) {
        const slot = slotOfRound(genesis, roundId);
        if (slot === undefined) continue;
        if (slot < now) elapsed.push({ slot, work: workUnits, distance: distanceMm });
        else wait.run(slot, String(workUnits), distanceMm === null ? null : String(distanceMm));
      }
      observe(projections, elapsed);
    },
    rewind(projections, to) {
      projections.exec("DELETE FROM waiting_round");
      for (const forget of [forgetDays, forgetIntervals, forgetRoundTotals]) forget(projections);
      return to.at;
    },
  };
}

/** Observes waiting rounds that have elapsed at `at` (epoch ms), and returns true if more remain. */
export function observeElapsed(projections: Database, at: number, budget: StepBudget): boolean {
  if (!hasElapsedWaiting(projections, at)) return false;
  const sql = "SELECT slot, work, distance FROM waiting_round WHERE slot < ? ORDER BY slot LIMIT ?";
  const most = Math.max(1, budget.count(COST));
  const rows = readRows<Waiting>(projections, sql, slotAt(at), most);
  const remove = statement(projections, "DELETE FROM waiting_round WHERE slot = ?");
  for (const { slot } of rows) remove.run(slot);
  const rounds = rows.map(({ slot, work, distance }) => {
    return { slot, work: BigInt(work), distance: distance === null ? null : BigInt(distance) };
  });
  observe(projections, rounds);
  budget.spend(rounds.length * COST);
  return hasElapsedWaiting(projections, at);
}

/** Returns true if a waiting round has elapsed at `at` (epoch ms). */
export function hasElapsedWaiting(projections: ReadOnlyDatabase, at: number): boolean {
  const sql = "SELECT 1 FROM waiting_round WHERE slot < ? LIMIT 1";
  return readRow(projections, sql, slotAt(at)) !== undefined;
}

interface Waiting {
  readonly slot: number;
  readonly work: string;
  readonly distance: string | null;
}

interface ObservedRound {
  readonly slot: number;
  readonly work: bigint;
  /** Millimetres; null if it is not known. */
  readonly distance: bigint | null;
}

/** Adds the rounds, and ignores those that are already observed. */
function observe(projections: Database, rounds: readonly ObservedRound[]): void {
  if (rounds.length === 0) return;
  const totals = roundTotalsToAddTo(projections);
  const days = new Map<number, DayRounds>();
  const halfHours = new Set<number>();
  const activeSlots: number[] = [];
  const activeDays: number[] = [];
  const dayOf = (number: number) => {
    let day = days.get(number);
    if (day === undefined) {
      days.set(number, (day = readDay(projections, number) ?? emptyDay(number)));
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
    if (distance !== null) {
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
    totals.bestHalfHour = greaterRecord(totals.bestHalfHour, halfHourWork(dayOf, halfHour), halfHour);
  }
  for (const day of days.values()) {
    totals.bestDay = greaterRecord(totals.bestDay, day.work, day.day);
    totals.farthestDay = greaterRecord(totals.farthestDay, day.distance, day.day);
    writeDay(projections, day);
  }
  addToIntervals(projections, "slot", ascending(activeSlots));
  addToIntervals(projections, "day", ascending(activeDays));
  writeRoundTotals(projections, totals);
}

function halfHourWork(dayOf: (number: number) => DayRounds, halfHour: number): bigint {
  const slot = halfHour * SLOTS_PER_HALF_HOUR;
  const day = dayOf(dayOfSlot(slot));
  const index = slot - firstSlotOf(day.day);
  return day.rounds.slice(index, index + SLOTS_PER_HALF_HOUR).reduce<bigint>((sum, work) => sum + (work ?? 0n), 0n);
}

function ascending(numbers: number[]): number[] {
  return numbers.sort((a, b) => a - b);
}
