import SqliteDatabase, { type Database } from "better-sqlite3";
import fc from "fast-check";
import { expect, test } from "vitest";
import { openLedgerForIntake } from "../../../src/ledger/open.ts";
import { changedSince, factSumAt, MOVED_SINCE, readFactSums } from "../../../src/ledger/read/changes.ts";
import { FACT_KINDS, type FactKind } from "../../../src/ledger/schema.ts";
import { installationRowId } from "../../../src/ledger/watermarks.ts";
import { ingest } from "../ingest.ts";
import {
  closure,
  emptyLedger,
  epoch,
  instant,
  module,
  oracle,
  receipt,
  reporterRun,
  round,
  settlementControl,
  submission,
  uuid,
  verdicts,
} from "../samples.ts";

test("the sum of a kind does not depend on order or batches, but on all content", () => {
  const facts = [
    round(1),
    round(2),
    round(3),
    oracle(),
    reporterRun({ finishedAt: null, result: null }),
    reporterRun(),
  ];
  fc.assert(
    fc.property(fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 }), fc.nat(3), (order, cut) => {
      const [together, apart] = [emptyLedger(), emptyLedger()];
      ingest(together, facts);
      const shuffled = order.map((at) => facts[at] ?? {});
      ingest(apart, shuffled.slice(0, cut));
      ingest(apart, [...shuffled.slice(cut), ...facts.slice(4)]);
      expect(readFactSums(apart, 1)).toEqual(readFactSums(together, 1));
    }),
  );
  const other = emptyLedger();
  ingest(other, [round(1), round(2), round(3, { workUnits: "601" }), oracle({ blockedReason: "other" })]);
  const [sums, others] = [sumsAfter(facts), readFactSums(other, 1)];
  expect(sums.round).toMatchObject({ count: 3 });
  expect(others.round.count).toBe(3);
  expect(others.round.sum).not.toBe(sums.round.sum);
  expect(others.oracle.sum).not.toBe(sums.oracle.sum);
  expect(sums.receipt).toEqual({ count: 0, sum: 0n });
});

test("duplicates and rejected lines do not count, and a replaced snapshot still counts", () => {
  const db = emptyLedger();
  expect(verdicts(db, module(), module({ observedAt: instant(5) }))).toEqual(["accepted", "accepted"]);
  const before = readFactSums(db, 1);
  const { now } = changedSince(db, undefined);
  expect(verdicts(db, module(), module({ observedAt: instant(5), state: "faulted" }))).toEqual([
    "duplicate",
    "conflict observedAt",
  ]);
  expect(readFactSums(db, 1)).toEqual(before);
  expect(before.module.count).toBe(2);
  expect(changedSince(db, now)).toEqual({ now, installations: [] });
});

test("a run that is rolled back leaves neither a sum nor a change", () => {
  const db = emptyLedger();
  ingest(db, [receipt(1)]);
  const before = [readFactSums(db, 1), changedSince(db, undefined)];
  expect(ingest(db, [receipt(2), receipt(1, { sequence: 9 })], { strict: true }).rejected).toBe(1);
  expect([readFactSums(db, 1), changedSince(db, undefined)]).toEqual(before);
});

test("the changes after a point name the installations that changed since", () => {
  const db = emptyLedger();
  const start = changedSince(db, undefined);
  expect(start).toEqual({ now: { seq: 0, check: "" }, installations: undefined });
  ingest(db, [receipt(1), receipt(2, { installationId: "wheel-2" }), receipt(3, { installationId: "wheel-3" })]);
  const first = changedSince(db, start.now);
  expect(first.installations).toEqual([1, 2, 3]);
  ingest(db, [oracle({ installationId: "wheel-3" })]);
  ingest(db, [receipt(4, { installationId: "wheel-3" })]);
  const second = changedSince(db, first.now);
  expect(second.installations).toEqual([installationRowId(db, "wheel-3")]);
  expect(changedSince(db, second.now)).toEqual({ now: second.now, installations: [] });
});

test("changed installations are found regardless of the number of earlier changes", () => {
  const db = openLedgerForIntake(":memory:");
  const plan = db.prepare<[number], { detail: string }>(`EXPLAIN QUERY PLAN ${MOVED_SINCE}`).all(1);
  expect(plan[0]?.detail).toBe("SEARCH change USING INTEGER PRIMARY KEY (rowid>?)");
});

test("after an in-place restore anything may have changed, even if the ledger has outgrown the point again", () => {
  const db = emptyLedger();
  ingest(db, [receipt(1)]);
  const backup = db.serialize();
  ingest(db, [receipt(2)]);
  const { now } = changedSince(db, undefined);
  const restored = new SqliteDatabase(backup);
  expect(changedSince(restored, now).installations).toBeUndefined();
  ingest(restored, [receipt(2, { distanceMm: 2001 })]);
  ingest(restored, [receipt(3)]);
  expect(changedSince(restored, now).installations).toBeUndefined();
});

test("a longer fork is detected by the sum at the known length", () => {
  const db = emptyLedger();
  ingest(db, [round(1)]);
  const backup = db.serialize();
  ingest(db, [round(2)]);
  const known = readFactSums(db, 1).round;
  const fork = new SqliteDatabase(backup);
  ingest(fork, [round(2, { eligible: false })]);
  ingest(fork, [round(3)]);
  ingest(db, [round(3)]);
  expect(factSumAt(db, 1, "round", 2)).toEqual(known);
  expect(factSumAt(fork, 1, "round", 2)).toMatchObject({ count: 2 });
  expect(factSumAt(fork, 1, "round", 2)?.sum).not.toBe(known.sum);
});

test("every position has the sum of the facts up to it, in any batches", () => {
  const facts = [
    epoch(),
    ...[1, 2, 3].flatMap((n) => [
      receipt(n),
      round(n),
      closure(n, n),
      oracle({ at: instant(n) }),
      reporterRun({ startedAt: instant(n) }),
    ]),
    ...[1, 2].flatMap((n) => [
      module({ observedAt: instant(n) }),
      submission({ submissionId: uuid(n) }),
      settlementControl({ at: instant(n) }),
    ]),
  ];
  const [batched, single] = [emptyLedger(), emptyLedger()];
  expect(ingest(batched, facts).accepted).toBe(facts.length);
  const counts = new Map<FactKind, number>();
  for (const fact of facts) {
    ingest(single, [fact]);
    const kind = fact.type as FactKind;
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    expect([kind, factSumAt(batched, 1, kind, count)]).toEqual([kind, readFactSums(single, 1)[kind]]);
  }
  expect(new Set(counts.keys())).toEqual(new Set(FACT_KINDS));
});

test("the sum at any receipt of a large batch is computed from the nearest saved sum", () => {
  const receipts = Array.from({ length: 2_500 }, (_, index) => receipt(index + 1));
  const batched = emptyLedger();
  ingest(batched, receipts);
  const saved = batched.prepare("SELECT count FROM change WHERE kind = 'receipt' ORDER BY count").pluck().all();
  expect(saved).toEqual(expect.arrayContaining([1024, 2048, 2500]));
  expect(saved.length).toBeLessThan(10);
  for (const count of [1, 2, 1023, 1024, 1025, 2047, 2049, 2499, 2500]) {
    const alone = emptyLedger();
    ingest(alone, receipts.slice(0, count));
    expect(factSumAt(batched, 1, "receipt", count)).toEqual(readFactSums(alone, 1).receipt);
    const other = emptyLedger();
    ingest(other, [...receipts.slice(0, count - 1), receipt(count, { softwareVersion: "9.9.9" }), receipt(9_999)]);
    expect(factSumAt(other, 1, "receipt", count)?.sum).not.toBe(factSumAt(batched, 1, "receipt", count)?.sum);
  }
  expect(factSumAt(batched, 1, "receipt", 2501)).toBeUndefined();
});

function sumsAfter(facts: readonly Readonly<Record<string, unknown>>[]) {
  const db: Database = emptyLedger();
  ingest(db, facts);
  return readFactSums(db, 1);
}
