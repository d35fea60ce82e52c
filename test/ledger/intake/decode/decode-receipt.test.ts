import fc from "fast-check";
import { expect, test } from "vitest";
import { receiptDecoder } from "../../../../src/ledger/intake/decode/decode-receipt.ts";
import { decodeRecord } from "../../../../src/ledger/intake/decode/decode-record.ts";
import { isFault } from "../../../../src/ledger/intake/fault.ts";
import { receipt, uuid } from "../../samples.ts";

const hex = fc.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
const count = fc.oneof(fc.nat(), fc.maxSafeNat());
const time = fc
  .date({ min: new Date("0001-01-01T00:00:00Z"), max: new Date("9999-12-31T23:59:59.999Z"), noInvalidDate: true })
  .map((date) => date.toISOString());

/** Receipts in the format that a device writes. */
const ordinary = fc.record({
  type: fc.constant("receipt"),
  installationId: fc.stringMatching(/^[A-Za-z0-9._:-]{1,128}$/).filter((id) => id !== "." && id !== ".."),
  telemetryId: hex,
  bootId: hex,
  counterEpoch: hex,
  sequence: count,
  observedAt: time,
  receivedAt: time,
  cumulativeWorkUnits: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String),
  provenance: fc.constantFrom("hardware", "simulated", "replay", "derived"),
  softwareVersion: fc.constantFrom("1.4.2", "é", "x".repeat(256), "2026.11 \u00a0"),
  coreStatus: fc.constantFrom("IDLE", "ACTIVE", "COUNTER_FAULT"),
  rpmMilli: count,
  speedMmPerSecond: count,
  distanceMm: count,
});

/** Differently formatted values of a field. */
const odd = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    -0,
    -1,
    1.5,
    2 ** 53,
    Number.POSITIVE_INFINITY,
    "",
    "0",
    "00",
    "18446744073709551615",
  ),
  fc.constantFrom<unknown>(
    "18446744073709551616",
    "receipt",
    "active",
    "IDLE",
    "\u0000",
    "x".repeat(257),
    "😀".repeat(256),
    [],
    {},
  ),
  fc.constantFrom<unknown>(
    "2026-11-20T10:00:00Z",
    "2026-11-20T10:00:00.123+01:00",
    "2026-02-30T10:00:00.000Z",
    "+002026-11-20T10:00:00.000Z",
  ),
  fc.constantFrom<unknown>(
    "0001-01-01T00:00:00.000Z",
    "2026-11-20T24:00:00.000Z",
    ".",
    "..",
    uuid(0xab).toUpperCase(),
    uuid(1),
  ),
  fc.anything({ withNullPrototype: false }),
);
const keys = Object.keys(receipt(1));
const changed = fc
  .tuple(
    ordinary,
    fc.array(fc.tuple(fc.oneof(fc.constantFrom(...keys), fc.constantFrom("extra", "__proto__", "Type")), odd), {
      maxLength: 2,
    }),
    fc.option(fc.constantFrom(...keys)),
  )
  .map(([record, changes, dropped]) => {
    const entries = new Map<string, unknown>([...Object.entries(record), ...changes]);
    if (dropped !== null) entries.delete(dropped);
    return Object.fromEntries(entries);
  });

test("if the fast decoder accepts a receipt, the schema gives the same result", () => {
  const quick = receiptDecoder();
  fc.assert(
    fc.property(changed, (json) => {
      const decoded = quick(json);
      if (decoded !== undefined) expect(decoded).toEqual(decodeRecord(json));
    }),
    { numRuns: 2000 },
  );
});

test("every receipt in a device's format takes the fast path", () => {
  const quick = receiptDecoder();
  fc.assert(
    fc.property(ordinary, (json) => {
      const decoded = quick(json);
      expect(decoded).toBeDefined();
      expect(decoded).toEqual(decodeRecord(json));
    }),
    { numRuns: 500 },
  );
});

test("receipts that the fast decoder rejects go to the schema, which accepts some of them", () => {
  const quick = receiptDecoder();
  for (const changes of [{ telemetryId: uuid(0xab).toUpperCase() }, { sequence: -0 }]) {
    expect(quick(receipt(1, changes))).toBeUndefined();
    expect(isFault(decodeRecord(receipt(1, changes)))).toBe(false);
  }
  // A valid value found before does not make another one valid.
  expect(quick(receipt(1))).toBeDefined();
  for (const field of ["installationId", "bootId", "counterEpoch", "softwareVersion"]) {
    expect(quick(receipt(1, { [field]: "" }))).toBeUndefined();
    expect(quick(receipt(1, { [field]: 1 }))).toBeUndefined();
  }
});
