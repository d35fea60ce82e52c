/** Statistics of an invented month, built by the product's code. */
import { buildStatistics } from "../../../src/resources/statistics/build.ts";
import type { RecordFact, RecordFacts, StatisticsFacts } from "../../../src/resources/statistics/facts.ts";
import type { Statistics } from "../../../src/resources/statistics/schema.ts";
import { noonDay, noonOf } from "../../../src/values/noon-day.ts";
import { SLOTS_PER_DAY, slotAt } from "../../../src/values/slot.ts";

type Day = StatisticsFacts["days"][number];

const ROUND_MS = 600_000;
const DAYS = 30;
const UNIT_MM = 850n;
/** Days before the last one that lack all rounds, or some. */
const MISSING_DAY = 11;
const GAP = { day: 3, from: 70, to: 76 };

/**
 * As of `at`, epoch ms. The wheel rests by day and on one whole day; one day and one part of a day were never accepted.
 */
export function statisticsBody(
  range: "7d" | "30d",
  at: number,
  change?: (facts: StatisticsFacts) => StatisticsFacts,
): Statistics {
  const facts = factsAt(at);
  const { body } = buildStatistics(change === undefined ? facts : change(facts), range, at);
  return JSON.parse(body) as Statistics;
}

function factsAt(at: number): StatisticsFacts {
  const today = noonDay(at);
  const days = Array.from({ length: DAYS }, (_, index) => dayOf(today - DAYS + 1 + index, DAYS - 1 - index, at));
  const observed = days.filter((day) => day.observed > 0);
  const sum = (of: (day: Day) => bigint) => observed.reduce((total, day) => total + of(day), 0n);
  return {
    installationId: "wheel-1",
    days: observed,
    totals: {
      observed: observed.reduce((total, day) => total + day.observed, 0),
      work: sum(({ work }) => work),
      distance: sum(({ distance }) => distance),
      activeDays: observed.filter(({ work }) => work > 0n).length,
      firstSlot: slotAt(noonOf(today - DAYS + 1)),
      lastSlot: slotAt(at) - 1,
      bestHalfHour: undefined,
      bestDay: undefined,
      farthestDay: undefined,
    },
    records: recordsAt(at),
    submissions: { firstPreparedAt: noonOf(today - DAYS), confirmed: 267, cumulativeWork: 485_461n, blockHeight: 485n },
    submitted: Array.from({ length: 40 }, (_, index) => {
      const preparedAt = at - (index + 1) * 14 * ROUND_MS;
      const lifecycle = index === 9 ? "reverted" : index === 17 ? "superseded" : "confirmed";
      const confirmedAt = lifecycle === "confirmed" ? preparedAt + 150_000 : null;
      return {
        lifecycle,
        preparedAt,
        submittedAt: preparedAt + 2_000,
        confirmedAt,
        zeroBlock: index % 3 === 0 ? 1 : 0,
      };
    }),
  };
}

function dayOf(day: number, ago: number, at: number): Day {
  const elapsed = Math.min(SLOTS_PER_DAY, Math.floor((at - noonOf(day)) / ROUND_MS));
  const rounds = Array.from({ length: SLOTS_PER_DAY }, (_, slot) => {
    if (slot >= elapsed || ago === MISSING_DAY) return undefined;
    if (ago === GAP.day && slot >= GAP.from && slot <= GAP.to) return undefined;
    return ago === 6 ? 0n : workOf(slot, ago);
  });
  const known = rounds.filter((work) => work !== undefined);
  const work = known.reduce((total, one) => total + one, 0n);
  return { day, observed: known.length, work, measured: known.length, distance: work * UNIT_MM, rounds };
}

/** A deterministic, irregular curve with its peak around five in the morning. */
function workOf(slot: number, ago: number): bigint {
  const uneven = ((slot * 7919 + ago * 104_729) % 97) / 97;
  const dailyCurve = Math.exp(-(((slot - 98) / 26) ** 2));
  if (dailyCurve < 0.06 || (uneven < 0.1 && dailyCurve < 0.9)) return 0n;
  return BigInt(Math.round((dailyCurve * 380 + 40) * (0.55 + 0.45 * uneven)));
}

function recordsAt(at: number): RecordFacts {
  const record = (value: bigint, daysAgo: number, complete = true): RecordFact => {
    return { value, occurredAt: noonOf(noonDay(at) - daysAgo) + 17 * 3_600_000, complete };
  };
  return {
    mostWorkHalfHour: record(1_538n, 4),
    mostWorkUtcDay: record(21_821n, 14),
    maximumDailyDistanceMm: record(18_547_980n, 14),
    peakObservedRpmMilli: record(60_487n, 21),
    peakObservedSpeedMmPerSecond: record(857n, 21),
    longestActiveWindowMinutes: record(260n, 8),
    longestActiveDayStreak: record(18n, 29, false),
  };
}
