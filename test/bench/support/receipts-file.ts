import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createWriteStream } from "node:fs";

/**
 * Writes the same receipts as NDJSON and as CSV rows of the ledger's table. Telemetry ids are random; the boot id
 * changes every 20,000 receipts, and the counter epoch every 100,000.
 */
export async function writeReceipts(count: number, ndjson: string, csv: string): Promise<void> {
  const [lines, rows] = [createWriteStream(ndjson), createWriteStream(csv)];
  let [bootId, counterEpoch, work, distanceMm] = [randomUUID(), randomUUID(), 0, 0];
  for (let position = 1; position <= count; position++) {
    if (position % 20_000 === 0) bootId = randomUUID();
    if (position % 100_000 === 0) [counterEpoch, work, distanceMm] = [randomUUID(), 0, 0];
    const telemetryId = randomUUID();
    const observedAt = Date.UTC(2026, 0, 1) + position * 3000;
    work += position % 5;
    distanceMm += (position * 7919) % 2000;
    const rest = {
      provenance: "hardware",
      softwareVersion: "1.4.2",
      coreStatus: "ACTIVE",
      rpmMilli: 43_000,
      speedMmPerSecond: 612,
      distanceMm,
    };
    const record = {
      type: "receipt",
      installationId: "wheel-1",
      telemetryId,
      bootId,
      counterEpoch,
      sequence: position,
      observedAt: new Date(observedAt).toISOString(),
      receivedAt: new Date(observedAt + 250).toISOString(),
      cumulativeWorkUnits: String(work),
      ...rest,
    };
    const row = [
      1,
      position,
      telemetryId,
      bootId,
      counterEpoch,
      position,
      observedAt,
      observedAt + 250,
      work,
      ...Object.values(rest),
    ];
    if (!lines.write(`${JSON.stringify(record)}\n`)) await once(lines, "drain");
    if (!rows.write(`${row.join(",")}\n`)) await once(rows, "drain");
  }
  await Promise.all([lines, rows].map((stream) => once(stream.end(), "close")));
}
