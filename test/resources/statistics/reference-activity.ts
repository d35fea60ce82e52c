/** The reference's activity and rounds: docs/spec/api.md#statistics-rules 4 to 8, taken literally. */
import { DAY, elapsedStarts, floorBps, iso, type Observed, ROUND, rank, sum } from "./reference-values.ts";

const HALF_HOUR = 3 * ROUND;

interface Bucket {
  readonly startMinuteUtc: number;
  readonly coverage: string;
  readonly observedRoundCount: number;
  readonly workUnits: string | null;
}

interface Day {
  readonly date: string;
  readonly coverage: { readonly expectedRoundCount: number; readonly observedRoundCount: number };
  readonly observedWorkUnits: string;
  readonly distanceMm: string | null;
  readonly buckets: readonly Bucket[];
}

export function activityOf(observed: readonly Observed[], startAt: number, dayCount: number, at: number): unknown {
  const days = Array.from({ length: dayCount }, (_, index) => dayOf(observed, startAt + index * DAY, at));
  const expectedRoundCount = elapsedStarts(startAt, startAt + dayCount * DAY, at).length;
  const observedRoundCount = within(observed, startAt, startAt + dayCount * DAY).length;
  const typicalDay = Array.from({ length: 48 }, (_, index) => typicalOf(days, index * 30));
  return {
    provenance: "accepted_rounds",
    coverage: {
      expectedRoundCount,
      observedRoundCount,
      coverageBps: floorBps(observedRoundCount, expectedRoundCount),
      complete: floorBps(observedRoundCount, expectedRoundCount) === 10_000,
    },
    summary: summaryOf(days),
    days,
    typicalDay,
  };
}

export function roundsOf(observed: readonly Observed[], startAt: number, at: number): unknown {
  const rounds = within(observed, startAt, at);
  const active = rounds.map(({ work }) => work).filter((work) => work > 0n);
  return {
    observedCount: rounds.length,
    activeCount: active.length,
    zeroWorkCount: rounds.filter(({ work }) => work === 0n).length,
    missingCount: elapsedStarts(startAt, at, at).length - rounds.length,
    activeRateBps: floorBps(active.length, rounds.length),
    averageActiveWorkMilli: textOf(milliMean(active)),
    medianActiveWork: textOf(median(active)),
    p90ActiveWork: textOf(rank(active, 0.9)),
    mostActiveWork: textOf(sorted(active).at(-1) ?? null),
  };
}

function dayOf(observed: readonly Observed[], noon: number, at: number): Day {
  const rounds = within(observed, noon, noon + DAY);
  const expectedRoundCount = elapsedStarts(noon, noon + DAY, at).length;
  const distances = rounds.flatMap(({ distance }) => (distance === null ? [] : [distance]));
  const coverage = {
    expectedRoundCount,
    observedRoundCount: rounds.length,
    coverageBps: floorBps(rounds.length, expectedRoundCount),
  };
  return {
    date: iso(noon).slice(0, 10),
    coverage,
    observedWorkUnits: String(sum(rounds.map(({ work }) => work))),
    distanceMm: distances.length === 0 ? null : String(sum(distances)),
    buckets: Array.from({ length: 48 }, (_, index) => bucketOf(rounds, noon, index * 30, at)),
  };
}

function bucketOf(rounds: readonly Observed[], noon: number, startMinuteUtc: number, at: number): Bucket {
  // Clock minutes before noon belong to the following calendar date.
  const midnight = noonMidnight(noon);
  const start = midnight + startMinuteUtc * 60_000 + (startMinuteUtc < 720 ? DAY : 0);
  const own = within(rounds, start, start + HALF_HOUR);
  const elapsed = elapsedStarts(start, start + HALF_HOUR, at).length;
  const covered = own.length === 3 ? "complete" : "partial";
  return {
    startMinuteUtc,
    coverage: own.length > 0 ? covered : elapsed > 0 ? "missing" : "future",
    observedRoundCount: own.length,
    workUnits: own.length > 0 ? String(sum(own.map(({ work }) => work))) : null,
  };
}

function noonMidnight(noon: number): number {
  return Date.parse(`${iso(noon).slice(0, 10)}T00:00:00.000Z`);
}

function typicalOf(days: readonly Day[], minute: number) {
  const works = completeWorks(days, minute);
  return {
    startMinuteUtc: minute,
    totalWorkUnits: String(sum(works)),
    observedDayCount: works.length,
    meanWorkMilli: textOf(milliMean(works)),
  };
}

function completeWorks(days: readonly Day[], minute: number): bigint[] {
  return days
    .flatMap(({ buckets }) => buckets)
    .filter(({ startMinuteUtc, coverage }) => startMinuteUtc === minute && coverage === "complete")
    .map(({ workUnits }) => BigInt(workUnits ?? 0));
}

function summaryOf(days: readonly Day[]) {
  const active = days.filter(({ observedWorkUnits }) => BigInt(observedWorkUnits) > 0n);
  const inactive = days.filter((day) => day.coverage.observedRoundCount === 144 && day.observedWorkUnits === "0");
  const works = active.map(({ observedWorkUnits }) => BigInt(observedWorkUnits));
  const most = sorted(works).at(-1);
  const known = days.flatMap(({ distanceMm }) => (distanceMm === null ? [] : [BigInt(distanceMm)]));
  return {
    observedWorkUnits: String(sum(works)),
    observedDistanceMm: String(sum(known)),
    activeDayCount: active.length,
    inactiveDayCount: inactive.length,
    averageWorkPerActiveDayMilli: textOf(milliMean(works)),
    medianWorkPerActiveDay: textOf(median(works)),
    averageDistancePerActiveDayMm:
      known.length === 0 || active.length === 0 ? null : String(sum(known) / BigInt(active.length)),
    mostActiveDateWorkUnits: most === undefined ? null : String(most),
    mostActiveDate: active.find(({ observedWorkUnits }) => observedWorkUnits === String(most))?.date ?? null,
    peakWindowStartMinuteUtc: peakOf(days),
  };
}

/** The first clock minute with the highest mean, compared as fractions; null if every mean is zero. */
function peakOf(days: readonly Day[]): number | null {
  const slots = Array.from({ length: 48 }, (_, index) => ({
    minute: index * 30,
    works: completeWorks(days, index * 30),
  }))
    .map(({ minute, works }) => ({ minute, total: sum(works), count: BigInt(works.length) }))
    .filter(({ total }) => total > 0n);
  return slots.find((a) => slots.every((b) => a.total * b.count >= b.total * a.count))?.minute ?? null;
}

function within(rounds: readonly Observed[], from: number, before: number): Observed[] {
  return rounds.filter(({ start }) => from <= start && start < before);
}

function milliMean(values: readonly bigint[]): bigint | null {
  return values.length === 0 ? null : (sum(values) * 1000n) / BigInt(values.length);
}

function median(values: readonly bigint[]): bigint | null {
  const ascending = sorted(values);
  const [low, high] = [ascending[Math.ceil(values.length / 2) - 1], ascending[Math.floor(values.length / 2)]];
  return low === undefined || high === undefined ? null : (low + high) / 2n;
}

function sorted(values: readonly bigint[]): bigint[] {
  return values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

function textOf(value: bigint | null): string | null {
  return value === null ? null : String(value);
}
