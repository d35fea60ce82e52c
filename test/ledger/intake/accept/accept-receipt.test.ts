import { expect, test } from "vitest";
import { installationRowId, listInstallations, readWatermarks } from "../../../../src/ledger/watermarks.ts";
import { contents, emptyLedger, oracle, receipt, round, uuid, verdicts } from "../../samples.ts";

test("positions are given by the ledger: 1, 2, 3 … per installation, to accepted receipts alone", () => {
  const db = emptyLedger();
  const other = { installationId: "wheel-2" };
  const results = verdicts(
    db,
    receipt(1),
    receipt(1),
    receipt(2, { sequence: 1 }),
    receipt(1, other),
    receipt(3, { rpmMilli: -1 }),
    receipt(3),
    receipt(2, other),
    receipt(4),
  );
  expect(results).toEqual([
    "accepted",
    "duplicate",
    "conflict sequence",
    "accepted",
    "out_of_range rpmMilli",
    "accepted",
    "accepted",
    "accepted",
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

test("an installation exists from its first accepted record on", () => {
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

test("the same record again is a duplicate after normalisation; the same key with other content a conflict", () => {
  const db = emptyLedger();
  verdicts(db, receipt(10));
  expect(
    verdicts(
      db,
      receipt(10, { observedAt: "2026-11-20T11:00:30.0009+01:00", receivedAt: "2026-11-20T09:30:30.25-00:30" }),
      receipt(10, { telemetryId: uuid(10).toUpperCase() }),
      receipt(10, { observedAt: "2026-11-20T10:00:30.001Z" }),
      receipt(10, { coreStatus: "IDLE" }),
      receipt(10, { cumulativeWorkUnits: "101" }),
      receipt(11, { sequence: 10 }),
      receipt(11, { sequence: 10, bootId: uuid(0xb008) }),
    ),
  ).toEqual([
    "duplicate",
    "duplicate",
    "conflict telemetryId",
    "conflict telemetryId",
    "conflict telemetryId",
    "conflict sequence",
    "accepted",
  ]);
});

test("within an epoch the counters never fall and may stay equal; another epoch begins again", () => {
  const db = emptyLedger();
  const at = (n: number, work: number, distance: number, counterEpoch = uuid(0xe90c)) =>
    receipt(n, { cumulativeWorkUnits: String(work), distanceMm: distance, counterEpoch });
  expect(
    verdicts(
      db,
      at(1, 99, 500),
      at(2, 99, 500),
      at(3, 98, 600),
      at(3, 100, 499),
      at(3, 98, 499),
      at(3, 100, 500),
      at(4, 0, 0, uuid(2)),
      at(5, 99, 700),
      at(5, 1000, 700),
      at(6, 1, 0, uuid(2)),
      at(7, 0, 9, uuid(2)),
    ),
  ).toEqual([
    "accepted",
    "accepted",
    "counter_regression cumulativeWorkUnits",
    "distance_regression distanceMm",
    "counter_regression cumulativeWorkUnits",
    "accepted",
    "accepted",
    "counter_regression cumulativeWorkUnits",
    "accepted",
    "accepted",
    "counter_regression cumulativeWorkUnits",
  ]);
  expect(
    db.prepare("SELECT counter_epoch, first_position, last_position FROM counter_epoch ORDER BY 2").raw().all(),
  ).toEqual([
    [uuid(0xe90c), 1, 5],
    [uuid(2), 4, 6],
  ]);
});

test("an old receipt again is a duplicate though the counters have gone on; other content regresses before it conflicts", () => {
  const db = emptyLedger();
  verdicts(db, receipt(1), receipt(2), receipt(3));
  expect(verdicts(db, receipt(1), receipt(1, { rpmMilli: 1 }), receipt(9, { sequence: 1, distanceMm: 2 }))).toEqual([
    "duplicate",
    "counter_regression cumulativeWorkUnits",
    "distance_regression distanceMm",
  ]);
});

test("counters are compared as numbers, whatever their length", () => {
  const db = emptyLedger();
  const work = (n: number, cumulativeWorkUnits: string) => receipt(n, { cumulativeWorkUnits });
  expect(
    verdicts(
      db,
      work(1, "9"),
      work(2, "10"),
      work(3, "9"),
      work(4, "18446744073709551615"),
      work(5, "18446744073709551614"),
    ),
  ).toEqual([
    "accepted",
    "accepted",
    "counter_regression cumulativeWorkUnits",
    "accepted",
    "counter_regression cumulativeWorkUnits",
  ]);
});

test("a rejected receipt leaves nothing", () => {
  const db = emptyLedger();
  verdicts(db, receipt(5));
  const before = contents(db);
  verdicts(db, receipt(4), receipt(6, { sequence: 5 }), receipt(5, { rpmMilli: 7 }), receipt(6, { extra: 1 }));
  expect(contents(db)).toEqual(before);
});
