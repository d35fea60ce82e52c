import { expect, test } from "vitest";
import { installationRowId, listInstallations, readWatermarks } from "../../../../src/ledger/watermarks.ts";
import { emptyLedger, oracle, receipt, round, uuid, verdicts } from "../../samples.ts";
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
