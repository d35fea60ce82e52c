import { expect, test } from "vitest";
import { closure, emptyLedger, type Json, round, verdicts } from "../../samples.ts";
import { expectVerdicts } from "./expect-verdicts.ts";

const TOTAL_MAX = (2n ** 256n - 1n) / 1000n;

test("a new round that would lift a total above (2^256 - 1) / 1000 is out_of_range", () => {
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
