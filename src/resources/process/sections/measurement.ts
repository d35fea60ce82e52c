/** docs/spec/api.md#process-measurement, `measurement`: the newest receipt; it stays when it is old. */
import type { Receipt } from "../../../ledger/read/receipts.ts";
import { formatTimestamp } from "../../../values/timestamp.ts";
import { STALE_AFTER_MS } from "../../telemetry/build.ts";

/** `at` in epoch ms; `changesAt` is the first instant after it at which time alone changes the freshness. */
export function measurementOf(receipt: Receipt | undefined, at: number): { measurement: unknown; changesAt?: number } {
  if (receipt === undefined) return { measurement: null };
  const online = at - receipt.receivedAt <= STALE_AFTER_MS;
  const measurement = {
    freshness: online ? "online" : "stale",
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
  return online ? { measurement, changesAt: receipt.receivedAt + STALE_AFTER_MS + 1 } : { measurement };
}
