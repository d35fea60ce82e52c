/** With one fact per second each fact is a separate commit, so its written bytes determine the wear of the disk. */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Intake } from "../../../src/ledger/intake/intake.ts";
import { openLedgerForIntake } from "../../../src/ledger/open.ts";

const RECEIPTS = 500;
/** With pages of 4096 bytes it would be 33,800. */
const MAX_BYTES = 20_000;

test("a single committed receipt appends at most 20,000 bytes to the ledger's -wal file", () => {
  const folder = mkdtempSync(join(tmpdir(), "noonmark-bytes-"));
  const path = join(folder, "ledger.db");
  const ledger = openLedgerForIntake(path);
  try {
    ledger.pragma("wal_checkpoint(TRUNCATE)");
    const intake = new Intake(ledger);
    for (let n = 1; n <= RECEIPTS; n++) {
      intake.write(Buffer.from(`${JSON.stringify(receipt(n))}\n`));
      intake.flush();
    }
    expect(intake.counts.accepted).toBe(RECEIPTS);
    expect(statSync(`${path}-wal`).size / RECEIPTS).toBeLessThan(MAX_BYTES);
  } finally {
    ledger.close();
    rmSync(folder, { recursive: true });
  }
});

function receipt(n: number) {
  const at = new Date(Date.UTC(2026, 0, 1) + n * 1_000).toISOString();
  // The last digits come first, so that these ids are unordered like those of real receipts.
  const id = String(n).padStart(8, "0").split("").toReversed().join("");
  return {
    type: "receipt",
    installationId: "wheel-1",
    telemetryId: `${id}-0000-4a1b-8c2d-000000000001`,
    bootId: "018f6f2e-0000-7a1b-8c2d-0000000000b1",
    counterEpoch: "018f6f2e-0000-7a1b-8c2d-0000000000e1",
    sequence: n,
    observedAt: at,
    receivedAt: at,
    cumulativeWorkUnits: String(n * 7),
    provenance: "hardware",
    softwareVersion: "1.4.2",
    coreStatus: "ACTIVE",
    rpmMilli: 40_000,
    speedMmPerSecond: 600,
    distanceMm: n * 612,
  };
}
