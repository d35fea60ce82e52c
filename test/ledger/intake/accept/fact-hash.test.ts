import { expect, test } from "vitest";
import { FactHash, FactSum64 } from "../../../../src/ledger/intake/accept/fact-hash.ts";
import { decodeRecord } from "../../../../src/ledger/intake/decode/decode-record.ts";
import { isFault } from "../../../../src/ledger/intake/fault.ts";
import type { IntakeRecord } from "../../../../src/ledger/intake/record-types.ts";
import { FACT_KINDS } from "../../../../src/ledger/schema.ts";
import { CORE_STATUSES, PROVENANCES } from "../../../../src/values/enums.ts";
import * as samples from "../../samples.ts";

test("the hash of each kind never changes, because ledgers and published objects store it", () => {
  const facts = [
    samples.receipt(1),
    samples.receipt(1, { distanceMm: 2 ** 52, cumulativeWorkUnits: "18446744073709551615" }),
    samples.epoch(),
    samples.module(),
    samples.round(1),
    samples.closure(1, 2),
    samples.oracle(),
    samples.submission(),
    samples.reporterRun(),
    samples.settlementControl(),
  ];
  expect(facts.map(hashOf)).toMatchInlineSnapshot(`
    [
      "f4f90d051d9d4203",
      "eecb3f40a9c58a58",
      "7eb310c4f87d0306",
      "441a1897e10dd8c5",
      "6dfb7308596e5eeb",
      "85361bc1287ecbeb",
      "8e0ab613db300c0f",
      "46db920ce025b102",
      "74ce2e26b1ce9393",
      "867f0ae9f9bc656f",
    ]
  `);
});

test("enum values that a receipt's hash abbreviates to their initials have distinct initials", () => {
  for (const words of [PROVENANCES, CORE_STATUSES]) {
    expect(new Set(words.map(([initial]) => initial)).size).toBe(words.length);
  }
});

test("new kinds of facts are appended, because stored objects list their facts in this order", () => {
  const listed = "receipt epoch module round closure oracle submission reporter_run settlement_control";
  expect(FACT_KINDS.slice(0, 9).join(" ")).toBe(listed);
});

test("each field of a receipt counts, with normalised instants and letter case", () => {
  const changes = {
    telemetryId: samples.uuid(2),
    bootId: samples.uuid(2),
    counterEpoch: samples.uuid(2),
    sequence: 2,
    observedAt: samples.instant(9),
    receivedAt: samples.instant(9),
    cumulativeWorkUnits: "11",
    provenance: "simulated",
    softwareVersion: "1.4.3",
    coreStatus: "IDLE",
    rpmMilli: 2,
    speedMmPerSecond: 2,
    distanceMm: 1001,
  };
  const hashes = Object.entries(changes).map(([field, value]) => hashOf(samples.receipt(1, { [field]: value })));
  expect(new Set([hashOf(samples.receipt(1)), ...hashes]).size).toBe(1 + hashes.length);
  const written = samples.receipt(1, {
    telemetryId: samples.uuid(1).toUpperCase(),
    observedAt: "2026-11-20T11:00:03.0009+01:00",
  });
  expect(hashOf(written)).toBe(hashOf(samples.receipt(1)));
});

test("a module's unpublished parts count too, in any key order", () => {
  const one = samples.module({ data: { a: 1, b: [1, 2] }, health: { code: "x", checkedAt: samples.instant(0) } });
  const two = samples.module({
    health: { checkedAt: "2026-11-20T11:00:00+01:00", code: "x" },
    data: { b: [1, 2], a: 1 },
  });
  expect(hashOf(one)).toBe(hashOf(two));
  expect(hashOf(samples.module({ data: { a: 2 } }))).not.toBe(hashOf(samples.module({ data: { a: 1 } })));
});

test("a hundred thousand receipts of one boot have distinct hashes, and each half is spread over its 32 bits", () => {
  const seen = new Set<bigint>();
  const highs = Array.from<number>({ length: 256 }).fill(0);
  const lows = Array.from<number>({ length: 256 }).fill(0);
  const hash = new FactHash();
  const fact = record(samples.receipt(1));
  if (fact.type !== "receipt") throw new Error("no receipt");
  for (let n = 0; n < 100_000; n++) {
    const { high, low } = hash.of({ ...fact, sequence: n, observedAt: fact.observedAt + 3000 * n });
    seen.add((BigInt(high) << 32n) | BigInt(low));
    highs[high >>> 24] = (highs[high >>> 24] ?? 0) + 1;
    lows[low & 255] = (lows[low & 255] ?? 0) + 1;
  }
  expect(seen.size).toBe(100_000);
  // Each of the 256 buckets should have 390. A deviation of a fifth is ten standard deviations.
  for (const counts of [highs, lows]) {
    expect(Math.min(...counts)).toBeGreaterThan(290);
    expect(Math.max(...counts)).toBeLessThan(490);
  }
});

test("a sum carries from its lower half, and wraps around after 2^64", () => {
  const sum = new FactSum64(2n ** 64n - 1n);
  sum.add({ high: 0, low: 2 } as FactHash);
  expect(sum.value).toBe(1n);
  sum.add({ high: 0xffffffff, low: 0xffffffff } as FactHash);
  expect(sum.value).toBe(0n);
});

function record(json: samples.Json): IntakeRecord {
  const decoded = decodeRecord(json);
  if (isFault(decoded)) throw new Error(decoded.sentence);
  return decoded;
}

function hashOf(json: samples.Json): string {
  const { high, low } = new FactHash().of(record(json));
  return `${high.toString(16).padStart(8, "0")}${low.toString(16).padStart(8, "0")}`;
}
