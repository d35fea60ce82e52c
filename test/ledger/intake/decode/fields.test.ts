import { expect, test } from "vitest";
import {
  closure,
  emptyLedger,
  epoch,
  instant,
  type Json,
  module,
  oracle,
  receipt,
  reporterRun,
  round,
  settlementControl,
  submission,
  verdict,
  verdicts,
} from "../../samples.ts";

const SAMPLES = [
  receipt(1),
  epoch(),
  module(),
  round(1),
  oracle(),
  submission(),
  reporterRun(),
  settlementControl(),
] as const;
const ALL = [...SAMPLES, closure(1, 1)];

function first(record: Json): string {
  const db = emptyLedger();
  if (record.type === "closure") verdicts(db, round(1));
  return verdict(db, JSON.stringify(record));
}

/** As text, for values that JSON.stringify would not write. */
function withText(record: Json, field: string, text: string): string {
  const line = JSON.stringify({ ...record, [field]: "@@" }).replace('"@@"', () => text);
  return verdict(emptyLedger(), line);
}

test("an unknown field is an error except in the free parts of a module", () => {
  for (const record of ALL) expect(first({ ...record, extra: 1 })).toBe("unknown_field extra");
  expect(first(submission({ expected: { ...(submission().expected as Json), extra: 1 } }))).toBe(
    "unknown_field expected.extra",
  );
  const free = { anything: [1, null, { goes: true }], checkedAt: instant(0), "": "" };
  expect(first(module({ health: free, data: free, resources: free, configuration: free }))).toBe("accepted");
});

test("decimal strings: canonical, uint64 unless documented otherwise; well formed but too large is out_of_range", () => {
  const fields: [(changes: Json) => Json, string, bigint][] = [
    [(changes) => receipt(1, changes), "cumulativeWorkUnits", 2n ** 64n - 1n],
    [(changes) => round(1, changes), "roundId", 2n ** 64n - 1n],
    [(changes) => closure(1, 1, changes), "lastRound", 2n ** 64n - 1n],
    [submission, "settledThroughRound", 2n ** 64n - 1n],
    [submission, "expected.blockHeight", 2n ** 64n - 1n],
    [submission, "expected.currentWork", 2n ** 64n - 1n],
    [submission, "expected.completedBlockCount", 2n ** 64n - 1n],
    [submission, "expected.cumulativeWork", 2n ** 256n - 1n],
  ];
  for (const [sample, field, max] of fields) {
    const put = (value: unknown): string => {
      const inner = field.split(".")[1];
      return first(
        inner === undefined
          ? sample({ [field]: value })
          : sample({ expected: { ...(submission().expected as Json), [inner]: value } }),
      );
    };
    for (const form of ["007", "-1", "+1", "1.0", "1e3", "0x10", " 1", "1\n", "", "٣", 7, null]) {
      expect(put(form)).toBe(`invalid_field ${field}`);
    }
    expect(put(String(max + 1n))).toBe(`out_of_range ${field}`);
    expect(put("9".repeat(500_000))).toBe(`out_of_range ${field}`);
    // The largest value is well formed and in range; other checks of it do not matter here.
    expect(put(String(max))).not.toMatch(/^(?:out_of_range|invalid_field) /);
  }
});

test("numbers are read like in ECMAScript; an integer outside its range is out_of_range", () => {
  for (const field of ["sequence", "rpmMilli", "speedMmPerSecond", "distanceMm"]) {
    for (const right of ["0", "-0", "1.0", "1e2", "9007199254740991", "9007199254740991.2"]) {
      expect(withText(receipt(1), field, right)).toBe("accepted");
    }
    for (const outside of ["-1", "9007199254740992", "9007199254740993", "1e300", "1e400", "-1e400"]) {
      expect(withText(receipt(1), field, outside)).toBe(`out_of_range ${field}`);
    }
    for (const wrong of ["1.5", '"1"', "true", "[1]", "1e-7"]) {
      expect(withText(receipt(1), field, wrong)).toBe(`invalid_field ${field}`);
    }
  }
  expect(first(module({ schemaVersion: 0 }))).toBe("out_of_range schemaVersion");
  expect(first(module({ schemaVersion: 2 ** 53 - 1 }))).toBe("accepted");
  expect(first(submission({ activeRoundCount: -1 }))).toBe("out_of_range activeRoundCount");
});

test("large values are stored to the last digit", () => {
  const db = emptyLedger();
  const max = Number.MAX_SAFE_INTEGER;
  const record = receipt(1, { sequence: max, rpmMilli: max, speedMmPerSecond: max, distanceMm: max });
  expect(verdicts(db, record, record, module({ schemaVersion: max }))).toEqual(["accepted", "duplicate", "accepted"]);
  expect(db.prepare("SELECT sequence, rpm_milli, speed_mm_per_second, distance_mm FROM receipt").raw().get()).toEqual([
    max,
    max,
    max,
    max,
  ]);
});

test("unknown_type: no type, another type, or a type that is not a string", () => {
  for (const type of [undefined, null, 1, "", "Receipt", "receipts", ["receipt"], { receipt: 1 }]) {
    expect(first({ ...receipt(1), type })).toBe("unknown_type type");
  }
});

test("if there are several faults, the first code counts, then the first field in the example's order", () => {
  const late = { distanceMm: -1, sequence: 1.5, telemetryId: "x" };
  expect(first(receipt(1, { ...late, extra: 1, type: "x" }))).toBe("unknown_type type");
  expect(first(receipt(1, { ...late, extra: 1 }))).toBe("unknown_field extra");
  expect(first(receipt(1, late))).toBe("invalid_field telemetryId");
  expect(first(receipt(1, { distanceMm: -1, sequence: 1.5 }))).toBe("invalid_field sequence");
  expect(first(receipt(1, { distanceMm: -1, rpmMilli: -1 }))).toBe("out_of_range rpmMilli");
  expect(first(receipt(1, { cumulativeWorkUnits: String(2n ** 64n), softwareVersion: "" }))).toBe(
    "invalid_field softwareVersion",
  );
  const expected = { ...(submission().expected as Json), currentWork: "x", blockHeight: "01" };
  expect(first(submission({ expected, preparedAt: 1 }))).toBe("invalid_field expected.blockHeight");
  expect(first(submission({ expected: { ...expected, extra: 1 }, lifecycle: "x" }))).toBe(
    "unknown_field expected.extra",
  );
  // The record with its fields in reverse order is the same.
  const backwards = Object.fromEntries(Object.entries(receipt(1, late)).toReversed());
  expect(first(backwards)).toBe("invalid_field telemetryId");
});

test("a violated order of two fields is a fault of the later field, whatever else is wrong", () => {
  expect(first(closure(2, 1))).toBe("invalid_field lastRound");
  expect(first(closure(2, 1, { acceptedAt: "x" }))).toBe("invalid_field lastRound");
  expect(first(closure(2, 1, { installationId: "" }))).toBe("invalid_field installationId");
  expect(first(closure(String(2n ** 64n), 1))).toBe("invalid_field lastRound");
  expect(first(reporterRun({ finishedAt: instant(-1) }))).toBe("invalid_field finishedAt");
  expect(first(reporterRun({ finishedAt: instant(0) }))).toBe("accepted");
  expect(first(reporterRun({ finishedAt: null }))).toBe("invalid_field result");
  expect(first(reporterRun({ result: null }))).toBe("invalid_field result");
});
