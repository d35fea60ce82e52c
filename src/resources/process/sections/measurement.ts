/** docs/spec/api.md#process-measurement, `measurement`: the newest receipt; it stays when it is old. */
import type { Receipt } from "../../../ledger/read/receipts.ts";
import { staleFrom } from "../../../values/freshness.ts";
import { formatTimestamp } from "../../../values/timestamp.ts";
import { STALE_AFTER_MS } from "../../telemetry/build.ts";
import type { ProcessTime } from "../facts.ts";

/** `time` in epoch ms; `changesAt` is the first instant after `at` at which time alone changes the freshness. */
export function measurementOf(
  receipt: Receipt | undefined,
  time: ProcessTime,
): { measurement: unknown; changesAt?: number } {
  if (receipt === undefined) return { measurement: null };
  const changesAt = staleFrom(receipt.receivedAt, STALE_AFTER_MS, time);
  const measurement = {
    freshness: changesAt === undefined ? "stale" : "online",
    observedAt: formatTimestamp(receipt.observedAt),
    receivedAt: formatTimestamp(receipt.receivedAt),
    staleAfterSeconds: STALE_AFTER_MS / 1000,
    counterEpoch: receipt.counterEpoch,
    cumulativeWorkUnits: receipt.cumulativeWorkUnits,
    provenance: receipt.provenance,
    coreStatus: receipt.coreStatus,
    rpmMilli: receipt.rpmMilli,
    speedMmPerSecond: receipt.speedMmPerSecond,
    distanceMm: receipt.distanceMm,
  };
  return changesAt === undefined ? { measurement } : { measurement, changesAt };
}
