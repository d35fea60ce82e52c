/**
 * The history of accepted receipts (docs/spec/api.md#observations) in tiles of 128 positions. A tile's body has one item's JSON
 * text per line, so that the shim cuts a page without parsing.
 */

import { TILE_SIZE } from "../../http/keys.ts";
import type { Receipt } from "../../ledger/read/receipts.ts";
import { formatTimestamp } from "../../values/timestamp.ts";
import { observationSchema } from "./contract.ts";
import { encodeObservationCursor } from "./route.ts";

/** The lines of a tile; `receipts` are all of the ledger's receipts in it, by ascending position. */
export function buildObservationTile(installationId: string, receipts: readonly Receipt[]): string {
  return receipts
    .map((receipt) => JSON.stringify(observationSchema.parse(observationOf(installationId, receipt))))
    .join("\n");
}

/** First and last position of a tile. */
export function tileBounds(tile: number): { first: number; last: number } {
  return { first: tile * TILE_SIZE + 1, last: (tile + 1) * TILE_SIZE };
}

/** One item, in the order of the API's table. */
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
