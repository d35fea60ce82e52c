/** The status depends on the receipt's age; a receipt too far ahead is never online (docs/spec/api.md#telemetry 2). */
import { expect, test } from "vitest";
import { futureOf } from "../../../publish/plan/successors.ts";
import type { Receipt } from "../../../src/ledger/read/receipts.ts";
import { buildTelemetry } from "../../../src/resources/telemetry/build.ts";

const AT = Date.parse("2026-11-20T10:00:00.000Z");

function receivedIn(ms: number): Receipt {
  return {
    position: 1,
    telemetryId: "00000000-0000-4000-8000-000000000001",
    bootId: "00000000-0000-4000-8000-000000000002",
    counterEpoch: "00000000-0000-4000-8000-000000000003",
    sequence: 1,
    observedAt: AT,
    receivedAt: AT + ms,
    cumulativeWorkUnits: "1",
    provenance: "hardware",
    softwareVersion: "1",
    coreStatus: "ACTIVE",
    rpmMilli: 0,
    speedMmPerSecond: 0,
    distanceMm: 0,
  } as Receipt;
}

function statusAt(receipt: Receipt, at: number): string {
  return (JSON.parse(buildTelemetry("wheel-1", receipt, at).body) as { status: string }).status;
}

test("a receipt from up to a minute ahead is online until 120 s after it", () => {
  const near = receivedIn(60_000);
  expect(statusAt(near, AT)).toBe("online");
  const { successors } = futureOf((at) => buildTelemetry("wheel-1", near, at), AT);
  expect(successors.map(({ from }) => from)).toEqual([AT + 60_000 + 120_001]);
});

test("a receipt from 2030 is stale, and no successor makes it online", () => {
  for (const ahead of [60_001, 3_600_000, Date.parse("2030-01-01T00:00:00.000Z") - AT]) {
    expect(statusAt(receivedIn(ahead), AT)).toBe("stale");
    expect(futureOf((at) => buildTelemetry("wheel-1", receivedIn(ahead), at), AT).successors).toEqual([]);
  }
});
