import type { Database } from "better-sqlite3";
import { expect, test } from "vitest";
import { advanceLedgerViews, areStatisticsBehind } from "../../src/projections/advance.ts";
import { deleteCursors, StepBudget } from "../../src/projections/follow.ts";
import { openProjectionsInMemory } from "../../src/projections/open.ts";
import { readRoundTotals } from "../../src/projections/rounds/round-totals.ts";
import { advanceFully, bodyOf, contentOf, rebuiltBody } from "../resources/statistics/build-from-ledger.ts";
import { accept, emptyLedger, type Fact, type HistoryReceipt, INSTALLATION } from "../resources/statistics/history.ts";

const ROUND = 600_000;
const GENESIS = 1_700_000_400n;
const AT = Number(GENESIS) * 1000 + 100 * ROUND;
const QUESTION = { genesis: GENESIS, range: "7d", at: AT } as const;

/** One step. Returns true while there is more. */
function step(ledger: Database | undefined, projections: Database, options: StepOptions = {}): boolean {
  const { genesis = GENESIS, microseconds } = options;
  const inputs = { ledger, installationId: INSTALLATION, genesis, at: AT };
  return advanceLedgerViews(projections, inputs, new StepBudget(microseconds));
}

interface StepOptions {
  readonly genesis?: bigint;
  readonly microseconds?: number;
}

test("steps are limited by their budget, and between them the statistics are rebuilding", () => {
  const ledger = ledgerOf([...rounds(0, 50), receipt(5), receipt(6), receipt(7)]);
  const projections = openProjectionsInMemory();
  const taken = () => [step(ledger, projections, { microseconds: 203 }), readRoundTotals(projections)?.observed];
  const isBehind = () =>
    areStatisticsBehind(projections, { ledger, installationId: INSTALLATION, genesis: GENESIS, at: AT });
  expect(taken()).toEqual([true, 20]);
  expect(bodyOf(ledger, projections, QUESTION).status).toBe(503);
  expect(taken()).toEqual([true, 40]);
  expect(isBehind()).toBe(true);
  expect(taken()).toEqual([false, 50]);
  expect(isBehind()).toBe(false);
  expect(bodyOf(ledger, projections, QUESTION).body).toBe(rebuiltBody(ledger, QUESTION).body);
});

test("without new facts nothing is written", () => {
  const ledger = ledgerOf([...rounds(0, 5), receipt(5), SUBMISSION]);
  const projections = openProjectionsInMemory();
  advanceFully(ledger, projections, QUESTION);
  const before = projections.prepare("SELECT total_changes()").pluck().get();
  expect(step(ledger, projections)).toBe(false);
  expect(projections.prepare("SELECT total_changes()").pluck().get()).toBe(before);
});

test("a failing step leaves neither data nor cursor", () => {
  const ledger = ledgerOf(rounds(0, 5));
  const projections = openProjectionsInMemory();
  advanceFully(ledger, projections, QUESTION);
  const before = contentOf(projections);
  accept(ledger, [...rounds(5, 10), receipt(5)]);
  projections.exec("CREATE TRIGGER fails BEFORE INSERT ON cursor BEGIN SELECT RAISE(ABORT, 'killed'); END");
  expect(() => step(ledger, projections)).toThrow("killed");
  expect(contentOf(projections)).toEqual(before);
  projections.exec("DROP TRIGGER fails");
  advanceFully(ledger, projections, QUESTION);
  expect(bodyOf(ledger, projections, QUESTION).body).toBe(rebuiltBody(ledger, QUESTION).body);
});

test.for<[string, () => Database | undefined]>([
  ["has lost its newest closure", () => ledgerOf([...FIRST, receipt(9), receipt(8), SUBMISSION])],
  ["has another newest closure", () => ledgerOf([...FIRST, ...rounds(10, 15), receipt(9), receipt(8), SUBMISSION])],
  ["has other earlier closures", () => ledgerOf([...rounds(30, 35), ...SECOND, receipt(9), receipt(8), SUBMISSION])],
  ["has lost its newest receipt", () => ledgerOf([...FIRST, ...SECOND, receipt(9), SUBMISSION])],
  ["has another newest receipt", () => ledgerOf([...FIRST, ...SECOND, receipt(9), receipt(1), SUBMISSION])],
  ["has another earlier receipt", () => ledgerOf([...FIRST, ...SECOND, receipt(7), receipt(8), SUBMISSION])],
  [
    "was rolled back and grew again",
    () => ledgerOf([...FIRST, ...rounds(40, 44), ...rounds(50, 54), receipt(9), receipt(8)]),
  ],
  ["is another installation's", () => emptyLedger(["other"])],
  ["has lost a submission's change", () => ledgerOf([...FIRST, ...SECOND, receipt(9), receipt(8)])],
  [
    "has another newest submission",
    () => ledgerOf([...FIRST, ...SECOND, receipt(9), receipt(8), { ...SUBMISSION, submissionId: "t" }]),
  ],
  ["is gone", () => undefined],
])("a ledger that %s restarts its projections", ([, changed]) => {
  const ledger = ledgerOf([...FIRST, ...SECOND, receipt(9), receipt(8), SUBMISSION]);
  const projections = openProjectionsInMemory();
  advanceFully(ledger, projections, QUESTION);
  const other = changed();
  while (step(other, projections));
  const rebuilt = openProjectionsInMemory();
  while (step(other, rebuilt));
  expect(contentOf(projections)).toEqual(contentOf(rebuilt));
});

test("a deleted cursor or another version of a follower causes a rebuild", () => {
  const ledger = ledgerOf([...FIRST, ...SECOND, receipt(9), receipt(8), SUBMISSION]);
  const projections = openProjectionsInMemory();
  advanceFully(ledger, projections, QUESTION);
  const content = contentOf(projections);
  const damage = "UPDATE totals SET value = '{}'; DELETE FROM submission_state";
  for (const rebuild of [
    () => deleteCursors(projections, ["receipts", "submissions", "rounds"]),
    () => projections.exec("UPDATE cursor SET version = '0'"),
  ]) {
    projections.exec(damage);
    expect(step(ledger, projections)).toBe(false);
    expect(contentOf(projections)).not.toEqual(content);
    rebuild();
    expect(bodyOf(ledger, projections, QUESTION).status).toBe(503);
    advanceFully(ledger, projections, QUESTION);
    expect(contentOf(projections)).toEqual(content);
  }
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

const FIRST = rounds(0, 5);
const SECOND = rounds(10, 20);

function receipt(rpmMilli: number): HistoryReceipt {
  return { type: "receipt", counterEpoch: 1, observedAt: AT - 5 * ROUND, rpmMilli, speedMmPerSecond: 0 };
}

/** Rounds from one id up to, but not including, another, and a closure of them. */
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
