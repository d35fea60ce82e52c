/** Builds the newest accepted measurement with its freshness (docs/spec/api.md#telemetry). */

import { etagOf } from "../../http/representation.ts";
import type { Receipt } from "../../ledger/read/receipts.ts";
import { STALE_AFTER_MS, staleFrom } from "../../values/freshness.ts";
import { formatTimestamp } from "../../values/timestamp.ts";
import { type Built, revisionOf } from "../built.ts";
import { type Telemetry, telemetrySchema } from "./contract.ts";

/** `receipt` has the highest position. Without one, the status is `offline` and there is no ETag. */
export function buildTelemetry(installationId: string, receipt: Receipt | undefined, at: number): Built {
  if (receipt === undefined) return built(offline(installationId), {});
  // The revision identifies the receipt, not its age (docs/spec/api.md#telemetry 4), so `stale` and `online` share one.
  const revision = revisionOf(JSON.stringify([installationId, receipt.position, receipt.telemetryId]));
  const nextChangeAt = staleFrom(receipt.receivedAt, STALE_AFTER_MS, { at, seenAt: at });
  const online = nextChangeAt !== undefined;
  const telemetry = telemetryOf(installationId, revision, online ? "online" : "stale", receipt);
  const representation = built(telemetry, { etag: etagOf(revision) });
  return online ? { ...representation, nextChangeAt } : representation;
}

function telemetryOf(installationId: string, revision: string, status: "online" | "stale", receipt: Receipt): unknown {
  return {
    schemaVersion: 1,
    installationId,
    revision,
    status,
    observedAt: formatTimestamp(receipt.observedAt),
    receivedAt: formatTimestamp(receipt.receivedAt),
    softwareVersion: receipt.softwareVersion,
    measurement: {
      counterEpoch: receipt.counterEpoch,
      cumulativeWorkUnits: receipt.cumulativeWorkUnits,
      provenance: receipt.provenance,
      coreStatus: receipt.coreStatus,
    },
  };
}

function offline(installationId: string): Telemetry {
  return {
    schemaVersion: 1,
    installationId,
    revision: null,
    status: "offline",
    observedAt: null,
    receivedAt: null,
    softwareVersion: null,
    measurement: null,
  };
}

function built(telemetry: unknown, headers: Record<string, string>): Built {
  const body = JSON.stringify(telemetrySchema.parse(telemetry));
  return { status: 200, headers, body, fingerprintText: body };
}
