import { expect, test } from "vitest";
import { closure, emptyLedger, instant, type Json, round, verdicts } from "../../samples.ts";
import { expectVerdicts } from "./expect-verdicts.ts";

const TOTAL_MAX = (2n ** 256n - 1n) / 1000n;

test("a new round that would raise a total above (2^256 - 1) / 1000 is out_of_range", () => {
  for (const field of ["workUnits", "distanceMm"]) {
    const db = emptyLedger();
    const of = (roundId: number, value: bigint, changes: Json = {}) =>
      round(roundId, { workUnits: "0", distanceMm: "0", [field]: String(value), ...changes });
    expectVerdicts(db, [
      [of(1, TOTAL_MAX + 1n), `out_of_range ${field}`],
      [of(1, TOTAL_MAX - 1n), "accepted"],
      [of(2, 2n), `out_of_range ${field}`],
      [of(2, 1n), "accepted"],
      [of(3, 0n), "accepted"],
      [of(4, 1n), `out_of_range ${field}`],
      [of(1, TOTAL_MAX - 1n), "duplicate"],
      [of(1, TOTAL_MAX), "conflict roundId"],
      [of(4, 1n, { installationId: "wheel-2" }), "accepted"],
    ]);
    const total = db
      .prepare(`SELECT round_${field === "workUnits" ? "work_units" : "distance_mm"} FROM installation WHERE no = 1`)
      .pluck()
      .get();
    expect(total).toBe(String(TOTAL_MAX));
  }
});

test("round ids are compared as numbers up to 2^64 - 1", () => {
  const db = emptyLedger();
  const max = 2n ** 64n - 1n;
  verdicts(db, round(9), round(10), round(String(max)), round(String(max - 1n)));
  expectVerdicts(db, [
    [closure(9, 10), "accepted"],
    [closure(String(max - 1n), String(max)), "accepted"],
    [closure(10, String(max)), "unknown_round lastRound"],
  ]);
});

test("closures need known rounds and must not overlap; known bounds at another instant are a conflict", () => {
  const db = emptyLedger();
  for (const roundId of [8, 9, 10, 11, 12, 14, 15, 16]) verdicts(db, round(roundId));
  expectVerdicts(db, [
    [closure(9, 11), "accepted"],
    [closure(9, 11), "duplicate"],
    [closure(9, 11, { acceptedAt: instant(1) }), "conflict lastRound"],
    [closure(9, 11, { acceptedAt: "2026-11-20T11:00:00+01:00" }), "duplicate"],
    [closure(11, 12), "closure_overlap firstRound"],
    [closure(8, 9), "closure_overlap lastRound"],
    [closure(10, 10), "closure_overlap firstRound"],
    [closure(8, 12), "closure_overlap lastRound"],
    [closure(9, 10), "closure_overlap firstRound"],
    [closure(12, 14), "unknown_round lastRound"],
    [closure(12, 15), "unknown_round lastRound"],
    [closure(13, 13), "unknown_round firstRound"],
    [closure(17, 18), "unknown_round firstRound"],
    [closure(7, 8), "unknown_round firstRound"],
    [closure(0, String(2n ** 64n - 1n)), "unknown_round firstRound"],
    [closure(8, 8), "accepted"],
    [closure(12, 12), "accepted"],
    [closure(14, 16), "accepted"],
    [closure(15, 16), "closure_overlap firstRound"],
    [closure(16, 17), "unknown_round lastRound"],
  ]);
  expect(verdicts(db, closure(9, 11, { installationId: "wheel-2" }))).toEqual(["unknown_round firstRound"]);
});
