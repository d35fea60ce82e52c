/**
 * Computes the statistics facts on demand, as a conventional server would: plain SQL over the same ledger and one loop
 * over all observed rounds. Uses JavaScript numbers instead of 256-bit integers. Noonmark's own code then builds the
 * body.
 */
import type { Database } from "better-sqlite3";
import type { RoundTotals } from "../../../../src/projections/rounds/round-totals.ts";
import { type DayRounds, emptyDay } from "../../../../src/projections/rounds/rounds-day.ts";
import { type RecordFact, type StatisticsFacts, windowOf } from "../../../../src/resources/statistics/facts.ts";
import { noonOf } from "../../../../src/values/noon-day.ts";
import { dayOfSlot, firstSlotOf, slotAt, slotStart } from "../../../../src/values/slot.ts";

interface Row {
  readonly round: number;
  readonly work: number;
  readonly distance: number | null;
}

export function conventionalFacts(ledger: Database, genesis: bigint, range: "7d" | "30d", at: number): StatisticsFacts {
  const { firstDay } = windowOf(range, at);
  const rows = ledger.prepare(`SELECT CAST(r.round_id AS INTEGER) AS round, CAST(r.work_units AS INTEGER) AS work,
    CAST(r.distance_mm AS INTEGER) AS distance FROM closure c
    CROSS JOIN round r ON r.installation = c.installation AND r.round_id BETWEEN c.first_round AND c.last_round
    WHERE c.installation = 1 ORDER BY c.first_round, r.round_id`);
  const firstSlot = Number(genesis) / 600;
  const sums = new Map<number, { work: number; distance: number }>();
  const halfHours = new Map<number, number>();
  const window = new Map<number, DayRounds>();
  const totals = { observed: 0, work: 0, distance: 0, first: Number.POSITIVE_INFINITY, last: 0 };
  let run = { first: 0, length: 0 };
  let longest = run;
  for (const { round, work, distance } of rows.iterate() as Iterable<Row>) {
    const slot = firstSlot + round;
    if (slot >= slotAt(at)) continue;
    totals.observed += 1;
    totals.work += work;
    totals.distance += distance ?? 0;
    totals.first = Math.min(totals.first, slot);
    totals.last = slot;
    halfHours.set(Math.floor(slot / 3), (halfHours.get(Math.floor(slot / 3)) ?? 0) + work);
    const number = dayOfSlot(slot);
    const sum = sums.get(number) ?? { work: 0, distance: 0 };
    sums.set(number, { work: sum.work + work, distance: sum.distance + (distance ?? 0) });
    if (work > 0) {
      run = run.first + run.length === slot ? { ...run, length: run.length + 1 } : { first: slot, length: 1 };
      if (run.length > longest.length) longest = run;
    }
    if (number >= firstDay) addToDay(window, number, { slot, work, distance });
  }
  const active = [...sums].filter(([, { work }]) => work > 0);
  const best = (entries: Iterable<[number, number]>) => [...entries].reduce((a, b) => (b[1] > a[1] ? b : a));
  const [halfHour, halfHourWork] = best(halfHours);
  const [day, dayWork] = best(active.map(([number, { work }]) => [number, work]));
  const [far, farthest] = best(active.map(([number, { distance }]) => [number, distance]));
  return {
    installationId: "wheel-1",
    days: [...window.values()],
    totals: {
      observed: totals.observed,
      work: BigInt(totals.work),
      distance: BigInt(totals.distance),
      activeDays: active.length,
      firstSlot: totals.first,
      lastSlot: totals.last,
    } as RoundTotals,
    records: {
      mostWorkHalfHour: record(halfHourWork, slotStart(halfHour * 3)),
      mostWorkUtcDay: record(dayWork, noonOf(day)),
      maximumDailyDistanceMm: record(farthest, noonOf(far)),
      peakObservedRpmMilli: peak(ledger, "rpm_milli"),
      peakObservedSpeedMmPerSecond: peak(ledger, "speed_mm_per_second"),
      longestActiveWindowMinutes: record(longest.length * 10, slotStart(longest.first)),
      longestActiveDayStreak: record(active.length, noonOf(active[0]?.[0] ?? 0)),
    },
    submissions: undefined,
    submitted: [],
  };
}

interface RoundRow {
  readonly slot: number;
  readonly work: number;
  readonly distance: number | null;
}

function addToDay(days: Map<number, DayRounds>, number: number, { slot, work, distance }: RoundRow): void {
  const day = days.get(number) ?? emptyDay(number);
  days.set(number, day);
  day.rounds[slot - firstSlotOf(number)] = BigInt(work);
  day.observed += 1;
  day.work += BigInt(work);
  if (distance === null) return;
  day.measured += 1;
  day.distance += BigInt(distance);
}

function record(value: number, occurredAt: number): RecordFact {
  return { value: BigInt(value), occurredAt, complete: true };
}

function peak(ledger: Database, column: string): RecordFact {
  const sql = `SELECT ${column} AS value, observed_at AS at FROM receipt WHERE installation = 1
    ORDER BY ${column} DESC, observed_at LIMIT 1`;
  const { value, at } = ledger.prepare(sql).get() as { value: number; at: number };
  return record(value, at);
}
