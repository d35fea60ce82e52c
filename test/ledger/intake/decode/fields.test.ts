import { expect, test } from "vitest";
import {
  closure,
  emptyLedger,
  epoch,
  HASH,
  instant,
  type Json,
  module,
  oracle,
  receipt,
  reporterRun,
  round,
  settlementControl,
  submission,
  uuid,
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

test("every record type is accepted, and only once", () => {
  for (const record of ALL) {
    const db = emptyLedger();
    verdicts(db, round(1));
    expect(verdicts(db, record, record).at(-1)).toBe("duplicate");
    expect(first(record)).toBe("accepted");
  }
});

test("every field of the example is required", () => {
  for (const record of ALL) {
    for (const field of Object.keys(record)) {
      const { [field]: _, ...rest } = record;
      expect(first(rest)).toBe(field === "type" ? "unknown_type type" : `invalid_field ${field}`);
    }
  }
  for (const field of ["cumulativeWork", "blockHeight", "currentWork", "completedBlockCount"]) {
    const { [field]: _, ...expected } = submission().expected as Json;
    expect(first(submission({ expected }))).toBe(`invalid_field expected.${field}`);
  }
});

test("null is accepted only where the contract allows it", () => {
  const nullable = new Set([
    "round.distanceMm",
    "oracle.blockedReason",
    "submission.transactionHash",
    "submission.submittedAt",
    "submission.terminalAt",
    "submission.confirmedAt",
    "submission.outcomeCode",
    "settlement_control.blockedReason",
  ]);
  for (const record of ALL) {
    for (const field of Object.keys(record).filter((name) => name !== "type")) {
      if (["finishedAt", "result"].includes(field)) continue;
      const expected = nullable.has(`${record.type}.${field}`) ? "accepted" : `invalid_field ${field}`;
      expect(first({ ...record, [field]: null })).toBe(expected);
    }
  }
  expect(first(reporterRun({ finishedAt: null, result: null }))).toBe("accepted");
});

test("an unknown field is an error except in the free parts of a module", () => {
  for (const record of ALL) expect(first({ ...record, extra: 1 })).toBe("unknown_field extra");
  expect(first(submission({ expected: { ...(submission().expected as Json), extra: 1 } }))).toBe(
    "unknown_field expected.extra",
  );
  const free = { anything: [1, null, { goes: true }], checkedAt: instant(0), "": "" };
  expect(first(module({ health: free, data: free, resources: free, configuration: free }))).toBe("accepted");
});

test("a module's health needs only checkedAt, and its free parts are objects", () => {
  expect(first(module({ health: { checkedAt: instant(0) } }))).toBe("accepted");
  expect(first(module({ health: { checkedAt: instant(0), message: null, code: null } }))).toBe("accepted");
  expect(first(module({ health: {} }))).toBe("invalid_field health.checkedAt");
  expect(first(module({ health: { checkedAt: "noon" } }))).toBe("invalid_field health.checkedAt");
  for (const part of ["health", "data", "resources", "configuration"]) {
    for (const wrong of [[], "{}", 1, true, null])
      expect(first(module({ [part]: wrong }))).toBe(`invalid_field ${part}`);
  }
});

test("installationId: 1 to 128 valid characters, not . or ..", () => {
  for (const right of ["a", "A.b_c:-9", "...", "x".repeat(128)])
    expect(first(round(1, { installationId: right }))).toBe("accepted");
  for (const wrong of ["", ".", "..", "x".repeat(129), "a/b", "a b", "é", "a\n", 1, ["a"]]) {
    expect(first(round(1, { installationId: wrong }))).toBe("invalid_field installationId");
  }
});

test("timestamps: RFC 3339 with seconds, T, and Z or an offset; years 0001 to 9999 also in UTC", () => {
  for (const right of [
    "2026-11-20T10:00:00Z",
    "2026-11-20T10:00:00.1Z",
    "2026-11-20T10:00:00.123456789+23:59",
    "2024-02-29T23:59:59-23:59",
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59.9999Z",
    "0001-01-01T00:00:00-00:01",
  ]) {
    expect(first(oracle({ at: right }))).toBe("accepted");
  }
  for (const wrong of [
    "2026-11-20",
    "2026-11-20T10:00Z",
    "2026-11-20T10:00:00",
    "2026-11-20t10:00:00Z",
    "2026-11-20T10:00:00z",
    "2026-11-20 10:00:00Z",
    "2026-11-20T24:00:00Z",
    "2026-11-20T10:60:00Z",
    "2026-11-20T23:59:60Z",
    "2026-11-20T10:00:00.Z",
    "2026-11-20T10:00:00,5Z",
    "2026-11-20T10:00:00+24:00",
    "2026-11-20T10:00:00+10:60",
    "2026-11-20T10:00:00+1000",
    "2026-02-29T10:00:00Z",
    "2026-13-01T10:00:00Z",
    "2026-00-10T10:00:00Z",
    "2026-11-00T10:00:00Z",
    "0000-12-31T23:59:59Z",
    "0001-01-01T00:00:00+00:01",
    "9999-12-31T23:59:59-00:01",
    "10000-01-01T00:00:00Z",
    "-2026-11-20T10:00:00Z",
    "+02026-11-20T10:00:00.000Z",
    "2026-11-20T10:00:00Z\n",
    "2026-02-29T10:00:00.000Z",
    "2100-02-29T10:00:00Z",
    " 2026-11-20T10:00:00Z",
    "2026-11-20T10:00:00Z ",
    1763632800000,
    "",
  ]) {
    expect(first(oracle({ at: wrong }))).toBe("invalid_field at");
    expect(first(receipt(1, { receivedAt: wrong }))).toBe("invalid_field receivedAt");
  }
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

test("UUIDs of any version and hashes are accepted in any case and stored in lower case", () => {
  const ids = [
    "00000000-0000-0000-0000-000000000000",
    "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
    "01890A5D-ac96-774B-bcce-b302099a8057",
  ];
  for (const id of ids) expect(first(receipt(1, { telemetryId: id, bootId: id, counterEpoch: id }))).toBe("accepted");
  for (const wrong of [
    "",
    "x",
    uuid(1).replaceAll("-", ""),
    `{${uuid(1)}}`,
    ` ${uuid(1)}`,
    `${uuid(1)}0`,
    uuid(1).replace("8", "g"),
    1,
  ]) {
    for (const field of ["telemetryId", "bootId", "counterEpoch"]) {
      expect(first(receipt(1, { [field]: wrong }))).toBe(`invalid_field ${field}`);
    }
  }
  for (const wrong of [HASH.slice(2), `${HASH}0`, HASH.slice(0, -1), HASH.replace("a", "g"), "0x", 1, ""]) {
    expect(first(submission({ transactionHash: wrong }))).toBe("invalid_field transactionHash");
  }
  const db = emptyLedger();
  const upper = {
    telemetryId: uuid(0xabcdef).toUpperCase(),
    bootId: uuid(0xb007).toUpperCase(),
    counterEpoch: uuid(0xe90c).toUpperCase(),
  };
  expect(verdicts(db, receipt(1, upper), receipt(1, { telemetryId: uuid(0xabcdef) }))).toEqual([
    "accepted",
    "duplicate",
  ]);
  expect(db.prepare("SELECT telemetry_id, boot_id, counter_epoch FROM receipt").raw().get()).toEqual([
    uuid(0xabcdef),
    uuid(0xb007),
    uuid(0xe90c),
  ]);
  const sent = { transactionHash: `0x${HASH.slice(2).toUpperCase()}` };
  expect(verdicts(db, submission(sent), submission({ transactionHash: HASH }))).toEqual(["accepted", "duplicate"]);
});

test("other strings: 1 to 256 code points without control characters, for moduleVersion too", () => {
  const fields: [(changes: Json) => Json, string][] = [
    [(changes) => receipt(1, changes), "softwareVersion"],
    [oracle, "blockedReason"],
    [settlementControl, "blockedReason"],
    ...["instanceId", "moduleType", "driverId", "moduleVersion", "configurationVersion"].map(
      (field): [(changes: Json) => Json, string] => [module, field],
    ),
  ];
  for (const [sample, field] of fields) {
    for (const right of ["1", " ", "x".repeat(256), "😀".repeat(256), "\u00a0\u2028\ufeff"]) {
      expect(first(sample({ [field]: right }))).toBe("accepted");
    }
    for (const wrong of [
      "",
      "x".repeat(257),
      "😀".repeat(257),
      "a\tb",
      "\u0000",
      "\u001f",
      "\u007f",
      "\u0085",
      "\u009f",
      1,
      ["a"],
    ]) {
      expect(first(sample({ [field]: wrong }))).toBe(`invalid_field ${field}`);
    }
  }
});

test("enum values are those of the contract, in its case; switches are true or false", () => {
  const words: [(changes: Json) => Json, string, string[]][] = [
    [(changes) => receipt(1, changes), "provenance", ["hardware", "simulated", "replay", "derived"]],
    [(changes) => receipt(1, changes), "coreStatus", ["IDLE", "ACTIVE", "COUNTER_FAULT"]],
    [module, "provenance", ["hardware", "simulated", "replay", "derived"]],
    [module, "state", ["disabled", "starting", "ready", "degraded", "faulted", "stopped"]],
    [reporterRun, "result", ["submitted", "nothing_to_submit", "failed"]],
  ];
  for (const [sample, field, known] of words) {
    for (const word of known) expect(first(sample({ [field]: word }))).toBe("accepted");
    for (const word of ["", "other", "Ready", "idle", 1])
      expect(first(sample({ [field]: word }))).toBe(`invalid_field ${field}`);
  }
  const switches: [(changes: Json) => Json, string][] = [
    [module, "enabled"],
    [(changes) => round(1, changes), "eligible"],
    [settlementControl, "settlementEnabled"],
    [settlementControl, "reporterEnvironmentEnabled"],
    [settlementControl, "incidentOpen"],
  ];
  for (const [sample, field] of switches) {
    for (const right of [true, false]) expect(first(sample({ [field]: right }))).toBe("accepted");
    for (const wrong of [0, 1, "true", null]) expect(first(sample({ [field]: wrong }))).toBe(`invalid_field ${field}`);
  }
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
