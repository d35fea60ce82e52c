/** Edge cases of the calendar and of histories, each with an explicit expectation and compared with the reference. */
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { openProjectionsInMemory } from "../../../src/projections/open.ts";
import type { Statistics } from "../../../src/resources/statistics/schema.ts";
import { advanceFully, bodyOf, rebuiltBody } from "./build-from-ledger.ts";
import { accept, emptyLedger, type Fact, INSTALLATION } from "./history.ts";
import { referenceBody } from "./reference.ts";

const ROUND = 600_000;
const GENESIS = BigInt(Date.parse("2024-01-01T00:00:00Z") / 1000);
const REBUILDING = '{"error":"public_stats_rebuilding"}';

test("noon itself starts a day of 48 future buckets, and belongs to it", () => {
  const noon = Date.parse("2024-03-10T12:00:00.000Z");
  const before = statistics(covered("2024-03-10T11:30:00Z", [1n, 2n, 3n]), noon - 1);
  const at = statistics(covered("2024-03-10T11:30:00Z", [1n, 2n, 3n]), noon);
  expect(before.activity.days.at(-1)?.date).toBe("2024-03-09");
  expect(before.rounds.observedCount).toBe(2);
  expect(at.activity.days.at(-1)?.date).toBe("2024-03-10");
  expect(at.activity.days.at(-1)?.coverage).toEqual({ expectedRoundCount: 0, observedRoundCount: 0, coverageBps: 0 });
  expect(at.activity.days.at(-1)?.buckets.every(({ coverage }) => coverage === "future")).toBe(true);
  expect(bucket(at, "2024-03-09", 690)).toEqual(["complete", 3, "6"]);
});

test("the first round of a bucket makes it partial, and the last one complete", () => {
  const facts = [...covered("2024-03-10T13:00:00Z", [1n]), ...covered("2024-03-10T15:00:00Z", [0n, 7n, 1n])];
  const start = Date.parse("2024-03-10T15:00:00Z");
  expect(bucket(statistics(facts, start + ROUND - 1), "2024-03-10", 900)).toEqual(["future", 0, null]);
  expect(bucket(statistics(facts, start + ROUND), "2024-03-10", 900)).toEqual(["partial", 1, "0"]);
  expect(bucket(statistics(facts, start + 3 * ROUND - 1), "2024-03-10", 900)).toEqual(["partial", 2, "7"]);
  expect(bucket(statistics(facts, start + 3 * ROUND), "2024-03-10", 900)).toEqual(["complete", 3, "8"]);
});

test("a bucket with an elapsed but no observed round is missing, and the next one is future", () => {
  const body = statistics(covered("2024-03-10T12:00:00Z", [5n]), Date.parse("2024-03-10T12:45:00Z"));
  expect(bucket(body, "2024-03-10", 720)).toEqual(["partial", 1, "5"]);
  expect(bucket(body, "2024-03-10", 750)).toEqual(["missing", 0, null]);
  expect(bucket(body, "2024-03-10", 780)).toEqual(["future", 0, null]);
});

test("29 February is an ordinary day", () => {
  const body = statistics(covered("2024-02-29T12:00:00Z", Array(288).fill(2n)), Date.parse("2024-03-02T12:00:00Z"));
  expect(body.activity.days.map(({ date }) => date).slice(-4)).toEqual([
    "2024-02-28",
    "2024-02-29",
    "2024-03-01",
    "2024-03-02",
  ]);
  expect(body.records.longestActiveDayStreak).toEqual({
    value: "2",
    occurredAt: "2024-02-29T12:00:00.000Z",
    coverage: "complete",
  });
});

test("rounds before a young installation were expected and are missing", () => {
  const body = statistics(covered("2024-03-10T12:00:00Z", [1n]), Date.parse("2024-03-10T12:10:00Z"));
  expect(body.activity.coverage.expectedRoundCount).toBe(6 * 144 + 1);
  expect(body.activity.days.slice(0, 6).every(({ buckets }) => buckets.every((b) => b.coverage === "missing"))).toBe(
    true,
  );
  expect(body.lifetime.coverageBps).toBe(10_000);
  expect(body.lifetime.firstObservedAt).toBe("2024-03-10T12:00:00.000Z");
});

test("days before genesis were also expected", () => {
  const body = statistics(covered("2024-01-01T00:00:00Z", [1n]), Date.parse("2024-01-01T00:10:00Z"));
  expect(body.window.startAt).toBe("2023-12-25T12:00:00.000Z");
  expect(body.activity.coverage).toEqual({
    expectedRoundCount: 6 * 144 + 73,
    observedRoundCount: 1,
    coverageBps: 10,
    complete: false,
  });
});

test("no history, or rounds without a closure, give a 503 placeholder", () => {
  const at = Date.parse("2024-03-10T12:10:00Z");
  const unaccepted = covered("2024-03-10T12:00:00Z", [1n]).filter(({ type }) => type === "round");
  for (const facts of [[], unaccepted]) {
    const ledger = emptyLedger();
    accept(ledger, facts);
    expect(rebuiltBody(ledger, { genesis: GENESIS, range: "30d", at })).toEqual({
      status: 503,
      headers: { "cache-control": "no-store", "retry-after": "2" },
      body: REBUILDING,
      fingerprintText: "public_stats_rebuilding",
      isPlaceholder: true,
    });
    expect(referenceBody(facts, { installationId: INSTALLATION, genesis: GENESIS, range: "30d", at })).toBeUndefined();
  }
});

test("one round without work is a history with every record and mean null", () => {
  const body = statistics(covered("2024-03-10T12:00:00Z", [0n]), Date.parse("2024-03-10T12:10:00Z"));
  expect(Object.values(body.records)).toEqual(Array(7).fill(null));
  expect(body.activity.summary).toMatchObject({
    activeDayCount: 0,
    mostActiveDate: null,
    peakWindowStartMinuteUtc: null,
  });
  expect(body.rounds).toMatchObject({ observedCount: 1, zeroWorkCount: 1, activeRateBps: 0, medianActiveWork: null });
});

test("a fully covered week is complete, and its idle day is inactive", () => {
  const works = Array.from({ length: 7 * 144 }, (_, index) => (index >= 144 && index < 288 ? 0n : 1n));
  const body = statistics(covered("2024-03-04T12:00:00Z", works), Date.parse("2024-03-11T11:59:59.999Z"));
  expect(body.activity.coverage).toEqual({
    expectedRoundCount: 1007,
    observedRoundCount: 1007,
    coverageBps: 10_000,
    complete: true,
  });
  expect(body.activity.summary).toMatchObject({ activeDayCount: 6, inactiveDayCount: 1, mostActiveDate: "2024-03-04" });
  expect(body.activity.typicalDay[0]).toMatchObject({
    observedDayCount: 7,
    totalWorkUnits: "18",
    meanWorkMilli: "2571",
  });
  // All half hours tie, so the earliest one of the day counts.
  expect(body.activity.summary.peakWindowStartMinuteUtc).toBe(0);
});

test("a round that was accepted ahead of time counts only from its end", () => {
  const ledger = emptyLedger();
  const projections = openProjectionsInMemory();
  const start = Date.parse("2024-03-10T15:00:00Z");
  accept(ledger, covered("2024-03-10T15:00:00Z", [4n, 5n]));
  const observedAt = (at: number) => {
    const question = { genesis: GENESIS, range: "7d", at } as const;
    advanceFully(ledger, projections, question);
    const built = bodyOf(ledger, projections, question);
    return built.status === 200 ? (JSON.parse(built.body) as Statistics).rounds.observedCount : built.status;
  };
  expect(observedAt(start + ROUND - 1)).toBe(503);
  expect(observedAt(start + ROUND)).toBe(1);
  expect(observedAt(start + 2 * ROUND)).toBe(2);
  // If the clock goes back, the round no longer counts.
  expect(observedAt(start + 2 * ROUND - 1)).toBe(1);
});

test("rounds beyond the supported calendar are accepted and never elapse", () => {
  const at = Date.parse("9999-12-31T23:59:59.999Z");
  const notYet = (BigInt(at + 1) / 1000n - GENESIS) / 600n - 1n;
  const far: Fact[] = [2n ** 64n - 1n, 2n ** 53n, notYet + 1n, notYet].flatMap((roundId) => [
    { type: "round", roundId, workUnits: 9n, distanceMm: null },
    { type: "closure", firstRound: roundId, lastRound: roundId },
  ]);
  const body = statistics([...covered("9999-12-31T12:00:00Z", [1n]), ...far], at);
  expect(body.lifetime.acceptedWorkUnits).toBe("1");
});

test("without any known distance its sums are 0, which the API has no null for, and all other fields say unknown", () => {
  const { lifetime, activity, records } = statistics(
    covered("2024-03-10T12:00:00Z", [1n, 2n]),
    Date.parse("2024-03-10T12:30:00Z"),
  );
  expect([lifetime.observedDistanceMm, activity.summary.observedDistanceMm]).toEqual(["0", "0"]);
  expect(activity.days.map(({ distanceMm }) => distanceMm)).toEqual(activity.days.map(() => null));
  expect(activity.summary.averageDistancePerActiveDayMm).toBeNull();
  expect(records.maximumDailyDistanceMm).toBeNull();
});

test("means of 256-bit work are exact in thousandths", () => {
  const most = (2n ** 256n - 1n) / 1000n;
  const facts = covered("2024-03-10T12:00:00Z", [most - 2n, 1n, 1n]);
  const body = statistics(facts, Date.parse("2024-03-10T12:30:00Z"));
  expect(body.rounds.mostActiveWork).toBe(String(most - 2n));
  expect(body.rounds.averageActiveWorkMilli).toBe(String((most * 1000n) / 3n));
  expect(body.activity.typicalDay[24]?.meanWorkMilli).toBe(String(most * 1000n));
});

test("the revision and the tag are the hash of the body without its revision", () => {
  const ledger = emptyLedger();
  accept(ledger, covered("2024-03-10T12:00:00Z", [1n]));
  const built = rebuiltBody(ledger, { genesis: GENESIS, range: "7d", at: Date.parse("2024-03-10T12:10:00Z") });
  const { revision, ...rest } = JSON.parse(built.body);
  expect(revision).toBe(createHash("sha256").update(JSON.stringify(rest)).digest("base64url"));
  expect(built.headers).toEqual({ etag: `"${revision}"`, "cache-control": "public, max-age=0, must-revalidate" });
  expect(built.fingerprintText).toBe(revision);
});

/** Consecutive rounds from an instant on, with one closure over them. */
function covered(from: string, works: readonly bigint[]): Fact[] {
  const first = (BigInt(Date.parse(from) / 1000) - GENESIS) / 600n;
  const rounds = works.map((workUnits, index): Fact => {
    return { type: "round", roundId: first + BigInt(index), workUnits, distanceMm: null };
  });
  return [...rounds, { type: "closure", firstRound: first, lastRound: first + BigInt(works.length - 1) }];
}

function statistics(facts: readonly Fact[], at: number): Statistics {
  const ledger = emptyLedger();
  accept(ledger, facts);
  const question = { genesis: GENESIS, range: "7d", at } as const;
  const { body } = rebuiltBody(ledger, question);
  expect(body).toBe(referenceBody(facts, { installationId: INSTALLATION, ...question }) ?? REBUILDING);
  return JSON.parse(body) as Statistics;
}

function bucket(body: Statistics, date: string, minute: number): unknown {
  const found = body.activity.days.find((day) => day.date === date)?.buckets[minute / 30];
  return found && [found.coverage, found.observedRoundCount, found.workUnits];
}
