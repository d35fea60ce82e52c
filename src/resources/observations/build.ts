/**
 * Builds tiles of 128 positions from the history of accepted receipts (docs/spec/api.md#observations). A tile has one
 * item's JSON text per line, so that the shim cuts pages without parsing.
 */

import { TILE_SIZE } from "../../http/keys.ts";
import type { Receipt } from "../../ledger/read/receipts.ts";
import { formatTimestamp } from "../../values/timestamp.ts";
import { observationSchema } from "./contract.ts";
import { encodeObservationCursor } from "./route.ts";

/** Returns a tile's lines; `receipts` are all of the ledger's receipts in it, by ascending position. */
export function buildObservationTile(installationId: string, receipts: readonly Receipt[]): string {
  return receipts
    .map((receipt) => JSON.stringify(observationSchema.parse(observationOf(installationId, receipt))))
    .join("\n");
}

/** Returns the first and last position of a tile. */
export function tileBounds(tile: number): { first: number; last: number } {
  return { first: tile * TILE_SIZE + 1, last: (tile + 1) * TILE_SIZE };
}

/** Returns one item with its fields in the order of the API's table. */
function observationOf(installationId: string, receipt: Receipt) {
  return {
    cursor: encodeObservationCursor(receipt.position),
    telemetryId: receipt.telemetryId,
    bootId: receipt.bootId,
    counterEpoch: receipt.counterEpoch,
    installationId,
    sequence: receipt.sequence,
    observedAt: formatTimestamp(receipt.observedAt),
    receivedAt: formatTimestamp(receipt.receivedAt),
    cumulativeWorkUnits: receipt.cumulativeWorkUnits,
    provenance: receipt.provenance,
    softwareVersion: receipt.softwareVersion,
  };
}
