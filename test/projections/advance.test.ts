import type { Database } from "better-sqlite3";
import { expect, test } from "vitest";
import { advanceProjections, advanceStep, isBehind } from "../../src/projections/advance.ts";
import { openProjectionsInMemory } from "../../src/projections/open.ts";
import { readPeak } from "../../src/projections/statistics/peaks.ts";
import { statisticsVersion } from "../../src/projections/statistics/statistics-version.ts";
import { advanceFully, bodyOf, contentOf, rebuiltBody } from "../resources/statistics/build-from-ledger.ts";
import { accept, emptyLedger, type Fact, type HistoryReceipt } from "../resources/statistics/history.ts";

const ROUND = 600_000;
const GENESIS = 1_700_000_400n;
const AT = Number(GENESIS) * 1000 + 100 * ROUND;
const QUESTION = { genesis: GENESIS, range: "7d", at: AT } as const;

test("steps are bounded by their budget; between them the statistics are being rebuilt", () => {
  const ledger = ledgerOf([...rounds(0, 50), receipt(5), receipt(6), receipt(7)]);
  const projections = openProjectionsInMemory();
  const step = () =>
    advanceProjections(ledger, projections, { ...QUESTION, budget: { rounds: 20, receipts: 2, installations: 10 } });
  const observed = () => projections.prepare("SELECT observed FROM round_totals").pluck().get();
  expect([step(), observed()]).toEqual([true, 20]);
  expect(bodyOf(ledger, projections, QUESTION).status).toBe(503);
  expect([step(), observed()]).toEqual([true, 40]);
  expect(isBehind(ledger, projections, 1, AT)).toBe(true);
  expect([step(), observed()]).toEqual([false, 50]);
  expect(isBehind(ledger, projections, 1, AT)).toBe(false);
  expect(bodyOf(ledger, projections, QUESTION).body).toBe(rebuiltBody(ledger, QUESTION).body);
});

test("nothing new: nothing is written", () => {
  const ledger = ledgerOf([...rounds(0, 5), receipt(5)]);
  const projections = openProjectionsInMemory();
  advanceFully(ledger, projections, QUESTION);
  const before = projections.prepare("SELECT total_changes()").pluck().get();
  expect(advanceProjections(ledger, projections, QUESTION)).toBe(false);
  expect(projections.prepare("SELECT total_changes()").pluck().get()).toBe(before);
});

test("a step that fails leaves neither data nor watermark", () => {
  const ledger = ledgerOf(rounds(0, 5));
  const projections = openProjectionsInMemory();
  advanceFully(ledger, projections, QUESTION);
  const before = contentOf(projections);
  accept(ledger, [...rounds(5, 10), receipt(5)]);
  projections.exec("CREATE TRIGGER fails BEFORE INSERT ON followed BEGIN SELECT RAISE(ABORT, 'killed'); END");
  expect(() => advanceProjections(ledger, projections, QUESTION)).toThrow("killed");
  expect(contentOf(projections)).toEqual(before);
  projections.exec("DROP TRIGGER fails");
  advanceFully(ledger, projections, QUESTION);
  expect(bodyOf(ledger, projections, QUESTION).body).toBe(rebuiltBody(ledger, QUESTION).body);
});

test.for<[string, (ledger: Database) => void, readonly Fact[]]>([
  ["has lost its newest closure", (ledger) => ledger.exec("DELETE FROM closure WHERE seq = 2"), []],
  [
    "has another closure there",
    (ledger) => ledger.exec("UPDATE closure SET last_round = first_round WHERE seq = 2"),
    [],
  ],
  ["has lost its newest receipt", (ledger) => ledger.exec("DELETE FROM receipt WHERE position = 2"), []],
  [
    "has another receipt there",
    (ledger) => ledger.exec("UPDATE receipt SET telemetry_id = position || 'x', rpm_milli = 1"),
    [],
  ],
  ["went back and on again", (ledger) => ledger.exec("DELETE FROM closure WHERE seq = 2"), rounds(40, 44)],
  ["is another installation's", (ledger) => ledger.exec("UPDATE installation SET id = 'other'"), []],
  ["has lost a submission's change", (ledger) => ledger.exec("DELETE FROM submission"), []],
])("a ledger that %s: everything begins again", ([, change, more]) => {
  const ledger = ledgerOf([...rounds(0, 5), ...rounds(10, 20), receipt(9), receipt(8), SUBMISSION]);
  const projections = openProjectionsInMemory();
  advanceFully(ledger, projections, QUESTION);
  change(ledger);
  // A file that is another has other changes too.
  ledger.exec("DELETE FROM change WHERE seq = (SELECT max(seq) FROM change)");
  accept(ledger, more);
  advanceFully(ledger, projections, QUESTION);
  const anew = openProjectionsInMemory();
  advanceFully(ledger, anew, QUESTION);
  expect(contentOf(projections)).toEqual(contentOf(anew));
});

test("another genesis: the rounds begin again, under their new instants; without one they wait", () => {
  const ledger = ledgerOf(rounds(0, 5));
  const projections = openProjectionsInMemory();
  advanceProjections(ledger, projections, { genesis: undefined, at: AT });
  expect(bodyOf(ledger, projections, QUESTION).status).toBe(503);
  advanceFully(ledger, projections, QUESTION);
  const other = { ...QUESTION, genesis: GENESIS + 3600n };
  expect(bodyOf(ledger, projections, other).status).toBe(503);
  advanceFully(ledger, projections, other);
  expect(bodyOf(ledger, projections, other).body).toBe(rebuiltBody(ledger, other).body);
  advanceProjections(ledger, projections, { genesis: undefined, at: AT });
  expect(bodyOf(ledger, projections, other).status).toBe(200);
});

test("an installation that has not moved costs nothing: nothing of it is read", () => {
  const ledger = emptyLedger(["wheel-1", "wheel-2"]);
  accept(ledger, [receipt(9)], 1);
  accept(ledger, [receipt(9)], 2);
  const projections = openProjectionsInMemory();
  advanceFully(ledger, projections, QUESTION);
  // What a look at wheel-1 would take for another ledger's.
  projections.exec("UPDATE followed SET telemetry_id = 'unknown' WHERE installation = 1");
  accept(ledger, [receipt(10)], 2);
  advanceFully(ledger, projections, QUESTION);
  const followed = projections.prepare("SELECT installation, position, telemetry_id AS id FROM followed").all();
  expect(followed).toEqual([
    { installation: 1, position: 1, id: "unknown" },
    { installation: 2, position: 2, id: expect.any(String) },
  ]);
});

test("installations are kept apart", () => {
  const ledger = emptyLedger(["wheel-1", "wheel-2"]);
  accept(ledger, rounds(0, 7), 1);
  const alone = rebuiltBody(ledger, QUESTION).body;
  accept(ledger, [...rounds(0, 90), receipt(99), SUBMISSION], 2);
  expect(rebuiltBody(ledger, QUESTION).body).toBe(alone);
});

test("the mark moves with rounds, peaks and submissions, not with a receipt that is no peak", () => {
  const ledger = ledgerOf([...rounds(0, 5), receipt(9)]);
  const projections = openProjectionsInMemory();
  const moves = (facts: readonly Fact[], installation = 1) => {
    const before = statisticsVersion(projections, 1);
    accept(ledger, facts, installation);
    advanceFully(ledger, projections, QUESTION);
    return statisticsVersion(projections, 1) !== before;
  };
  expect(moves([])).toBe(true);
  expect(moves([receipt(9), receipt(0)])).toBe(false);
  expect(moves([receipt(10)])).toBe(true);
  expect(moves(rounds(5, 6))).toBe(true);
  expect(moves([SUBMISSION])).toBe(true);
  expect(moves([{ ...SUBMISSION, lifecycle: "submitted", submittedAt: AT }])).toBe(true);
});

const SUBMISSION = {
  type: "submission",
  submissionId: "s",
  lifecycle: "preparing",
  cumulativeWork: 5n,
  blockHeight: 1n,
  completedBlockCount: 1n,
  preparedAt: AT - 10,
  submittedAt: null,
  confirmedAt: null,
} as const;

function receipt(rpmMilli: number): HistoryReceipt {
  return { type: "receipt", counterEpoch: 1, observedAt: AT - 5 * ROUND, rpmMilli, speedMmPerSecond: 0 };
}

/** Rounds from one id to before another, and a closure over them. */
function rounds(from: number, to: number): Fact[] {
  const list = Array.from({ length: to - from }, (_, index): Fact => {
    return { type: "round", roundId: BigInt(from + index), workUnits: BigInt(index), distanceMm: 1n };
  });
  return [...list, { type: "closure", firstRound: BigInt(from), lastRound: BigInt(to - 1) }];
}

function ledgerOf(facts: readonly Fact[]): Database {
  const ledger = emptyLedger();
  accept(ledger, facts);
  return ledger;
}

/** Five installations, of which the last is the one that is published for. */
function fiveOf(): Database {
  const ledger = emptyLedger(["wheel-1", "wheel-2", "wheel-3", "wheel-4", "wheel-5"]);
  for (let no = 1; no <= 5; no++) accept(ledger, [receipt(no)], no);
  return ledger;
}

const LAST = { no: 5, id: "wheel-5" };
const FEW = { rounds: 20, receipts: 20, installations: 2 };
const followedIn = (projections: Database) =>
  projections.prepare("SELECT installation FROM followed WHERE position > 0 ORDER BY installation").pluck().all();

test("a step takes in a few installations, the first one always; what moves meanwhile comes after the pass", () => {
  const ledger = fiveOf();
  const projections = openProjectionsInMemory();
  const step = () => advanceStep(ledger, projections, { ...QUESTION, first: LAST, budget: FEW });
  expect([step(), followedIn(projections)]).toEqual([{ first: false, any: true }, [1, 2, 5]]);
  accept(ledger, [receipt(9)], 1);
  expect([step(), followedIn(projections)]).toEqual([{ first: false, any: true }, [1, 2, 3, 4, 5]]);
  expect(step()).toEqual({ first: false, any: true });
  expect(readPeak(projections, 1, "rpm_milli")?.value).toBe(1);
  expect(step()).toEqual({ first: false, any: false });
  expect(readPeak(projections, 1, "rpm_milli")?.value).toBe(9);
  const whole = openProjectionsInMemory();
  advanceFully(ledger, whole, QUESTION);
  expect(contentOf(projections)).toEqual(contentOf(whole));
});

test("many that have moved are taken in by the order of their changes; the first one's do not wait", () => {
  const ledger = fiveOf();
  const projections = openProjectionsInMemory();
  advanceFully(ledger, projections, QUESTION);
  for (const no of [4, 3, 2, 1, 5]) accept(ledger, [receipt(10 + no)], no);
  const peaks = () => [1, 2, 3, 4, 5].map((no) => readPeak(projections, no, "rpm_milli")?.value);
  const step = () => advanceStep(ledger, projections, { ...QUESTION, first: LAST, budget: FEW });
  expect([step(), peaks()]).toEqual([{ first: false, any: true }, [1, 2, 13, 14, 15]]);
  expect([step(), peaks()]).toEqual([{ first: false, any: true }, [11, 12, 13, 14, 15]]);
  expect([step(), peaks()]).toEqual([{ first: false, any: false }, [11, 12, 13, 14, 15]]);
});

test.for([
  ["seen", 2],
  ["not seen", 4],
])(
  "a ledger that is replaced in the middle of a pass, at an installation already %s: it begins again",
  ([, changed]) => {
    const ledger = fiveOf();
    const projections = openProjectionsInMemory();
    const step = () => advanceStep(ledger, projections, { ...QUESTION, first: LAST, budget: FEW });
    advanceFully(ledger, projections, QUESTION);
    ledger.exec("DELETE FROM change WHERE seq = 5");
    step();
    ledger.prepare("UPDATE receipt SET telemetry_id = 'x', rpm_milli = 77 WHERE installation = ?").run(changed);
    ledger.exec("DELETE FROM change WHERE seq = 4");
    for (let more = true; more; ) more = step().any;
    const anew = openProjectionsInMemory();
    advanceFully(ledger, anew, QUESTION);
    expect(contentOf(projections)).toEqual(contentOf(anew));
  },
);
