import { expect, test } from "vitest";
import { readWatermarks } from "../../../../src/ledger/watermarks.ts";
import {
  emptyLedger,
  epoch,
  instant,
  type Json,
  module,
  oracle,
  settlementControl,
  uuid,
  verdicts,
} from "../../samples.ts";
import { expectVerdicts } from "./expect-verdicts.ts";

test("facts that never change: a repetition is a duplicate, otherwise a conflict on the last key field", () => {
  const other: [Json, Json, string][] = [
    [epoch(), { approvedAt: instant(1) }, "counterEpoch"],
    [oracle(), { blockedReason: "other" }, "at"],
    [oracle(), { blockedReason: null }, "at"],
    [settlementControl(), { settlementEnabled: false }, "at"],
    [settlementControl(), { reporterEnvironmentEnabled: false }, "at"],
    [settlementControl(), { blockedReason: "held" }, "at"],
    [settlementControl(), { incidentOpen: true }, "at"],
  ];
  for (const [record, changes, field] of other) {
    const db = emptyLedger();
    expect(
      verdicts(db, record, record, { ...record, ...changes }, { ...record, installationId: "wheel-2", ...changes }),
    ).toEqual(["accepted", "duplicate", `conflict ${field}`, "accepted"]);
  }
});

test("dated facts are all kept, in any order of arrival", () => {
  const db = emptyLedger();
  for (const record of [oracle, settlementControl]) {
    expect(verdicts(db, record({ at: instant(5) }), record({ at: instant(1) }), record({ at: instant(9) }))).toEqual(
      Array(3).fill("accepted"),
    );
  }
  expect(verdicts(db, epoch(), epoch({ counterEpoch: uuid(2) }))).toEqual(["accepted", "accepted"]);
  expect(readWatermarks(db, 1)).toMatchObject({ oracle: 3, settlement_control: 3, epoch: 2, receipt: 0 });
});

test("a later module snapshot replaces, an earlier one is a duplicate with any content, and an equal instant is compared", () => {
  const db = emptyLedger();
  expectVerdicts(db, [
    [module({ observedAt: instant(10) }), "accepted"],
    [module({ observedAt: instant(9), state: "faulted" }), "duplicate"],
    [module({ observedAt: instant(10) }), "duplicate"],
    [module({ observedAt: instant(10), state: "faulted" }), "conflict observedAt"],
    [module({ observedAt: instant(9), state: "wrong" }), "invalid_field state"],
    [module({ observedAt: instant(11), state: "faulted" }), "accepted"],
    [module({ observedAt: instant(10) }), "duplicate"],
    [module({ instanceId: "encoder-1", observedAt: instant(1) }), "accepted"],
  ]);
  const rows = db.prepare("SELECT instance_id, state, observed_at, health_checked_at FROM module").raw().all();
  expect(rows).toEqual([
    ["encoder-0", "faulted", Date.parse(instant(11)), Date.parse(instant(-1))],
    ["encoder-1", "ready", Date.parse(instant(1)), Date.parse(instant(-1))],
  ]);
});
