import { expect, test } from "vitest";
import { installationRowId, listInstallations, readWatermarks } from "../../../../src/ledger/watermarks.ts";
import { contents, emptyLedger, oracle, receipt, round, uuid, verdicts } from "../../samples.ts";
import { expectVerdicts } from "./expect-verdicts.ts";

test("the ledger assigns positions 1, 2, 3 … per installation, to accepted receipts only", () => {
  const db = emptyLedger();
  const other = { installationId: "wheel-2" };
  expectVerdicts(db, [
    [receipt(1), "accepted"],
    [receipt(1), "duplicate"],
    [receipt(2, { sequence: 1 }), "conflict sequence"],
    [receipt(1, other), "accepted"],
    [receipt(3, { rpmMilli: -1 }), "out_of_range rpmMilli"],
    [receipt(3), "accepted"],
    [receipt(2, other), "accepted"],
    [receipt(4), "accepted"],
  ]);
  const positions = db.prepare("SELECT installation, position, telemetry_id FROM receipt").raw().all();
  expect(positions).toEqual([
    [1, 1, uuid(1)],
    [1, 2, uuid(3)],
    [1, 3, uuid(4)],
    [2, 1, uuid(1)],
    [2, 2, uuid(2)],
  ]);
  expect(readWatermarks(db, 1).receipt).toBe(3);
  expect(readWatermarks(db, 2).receipt).toBe(2);
});

test("an installation exists from its first accepted record", () => {
  const db = emptyLedger();
  verdicts(
    db,
    receipt(1, { installationId: "rejected", sequence: -1 }),
    round(1, { installationId: "b" }),
    oracle({ installationId: "a" }),
  );
  expect(listInstallations(db).map(({ id }) => id)).toEqual(["b", "a"]);
  expect(installationRowId(db, "rejected")).toBeUndefined();
});

test("the same record after normalisation is a duplicate, and the same key with other content is a conflict", () => {
  const db = emptyLedger();
  verdicts(db, receipt(10));
  expectVerdicts(db, [
    [
      receipt(10, { observedAt: "2026-11-20T11:00:30.0009+01:00", receivedAt: "2026-11-20T09:30:30.25-00:30" }),
      "duplicate",
    ],
    [receipt(10, { telemetryId: uuid(10).toUpperCase() }), "duplicate"],
    [receipt(10, { observedAt: "2026-11-20T10:00:30.001Z" }), "conflict telemetryId"],
    [receipt(10, { coreStatus: "IDLE" }), "conflict telemetryId"],
    [receipt(10, { cumulativeWorkUnits: "101" }), "conflict telemetryId"],
    [receipt(11, { sequence: 10 }), "conflict sequence"],
    [receipt(11, { sequence: 10, bootId: uuid(0xb008) }), "accepted"],
  ]);
});

test("counters are compared as numbers of any length", () => {
  const db = emptyLedger();
  const work = (n: number, cumulativeWorkUnits: string) => receipt(n, { cumulativeWorkUnits });
  expectVerdicts(db, [
    [work(1, "9"), "accepted"],
    [work(2, "10"), "accepted"],
    [work(3, "9"), "counter_regression cumulativeWorkUnits"],
    [work(4, "18446744073709551615"), "accepted"],
    [work(5, "18446744073709551614"), "counter_regression cumulativeWorkUnits"],
  ]);
});

test("a rejected receipt leaves no trace", () => {
  const db = emptyLedger();
  verdicts(db, receipt(5));
  const before = contents(db);
  verdicts(db, receipt(4), receipt(6, { sequence: 5 }), receipt(5, { rpmMilli: 7 }), receipt(6, { extra: 1 }));
  expect(contents(db)).toEqual(before);
});
