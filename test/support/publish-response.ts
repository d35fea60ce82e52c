/** Puts responses and tiles into a store without a publisher, in the publisher's format. */
import { encodeIndex } from "../../src/http/installations.ts";
import { INSTALLATIONS_KEY, TILE_SIZE } from "../../src/http/keys.ts";
import type { Representation } from "../../src/http/representation.ts";
import type { Successor } from "../../src/http/successor.ts";
import type { ObjectStore } from "../../src/object-store/object-store.ts";
import { encodeResponse, JSON_TYPE } from "../../src/object-store/stored-response.ts";
import { observationTileKey, tileOf } from "../../src/resources/observations/route.ts";
import type { Publication } from "../../src/resources/publication.ts";
import type { Snapshot } from "../../src/resources/snapshot.ts";

/** A store, or a bucket that only tests fill. */
export type Target = Pick<ObjectStore, "get" | "put">;

const encoder = new TextEncoder();

export async function putResponse(
  store: Target,
  key: string,
  { body, ...representation }: Representation,
  successors: readonly Successor[] = [],
): Promise<void> {
  await store.put(key, encodeResponse({ representation, body: encoder.encode(body), successors, at: 0 }));
}

export async function putText(store: Target, key: string, text: string): Promise<void> {
  await putBytes(store, key, encoder.encode(text), JSON_TYPE);
}

/** Puts an object that is not a response. */
export async function putBytes(store: Target, key: string, body: Uint8Array, contentType: string): Promise<void> {
  await store.put(key, { body, contentType, metadata: {} });
}

/** The first installation is the configured one unless `configured` names another. */
export async function putIndex(
  store: Target,
  installations: readonly string[],
  configured = installations[0] ?? "",
): Promise<void> {
  await putText(store, INSTALLATIONS_KEY, encodeIndex({ configured, installations: new Set(installations) }));
}

/** Puts the tiles of `count` items; `itemOf` returns an item's JSON text. */
export async function putTiles(
  store: Target,
  installationId: string,
  count: number,
  itemOf: (position: number) => string,
): Promise<void> {
  for (let first = 1; first <= count; first += TILE_SIZE) {
    const items = Array.from({ length: Math.min(TILE_SIZE, count - first + 1) }, (_, index) => itemOf(first + index));
    await putText(store, observationTileKey(installationId, tileOf(first)), items.join("\n"));
  }
}

/** Puts the tiles that a response refers to and that the store lacks, as a cycle would. */
export async function putNamedTiles(store: Target, publication: Publication, snapshot: Snapshot): Promise<void> {
  for (const tile of publication.tileSet?.tiles(snapshot).flat() ?? []) {
    if ((await store.get(tile.key)) !== undefined) continue;
    const body = tile.body(snapshot);
    if (body === undefined) throw new Error(`${tile.key} has no body`);
    await putText(store, tile.key, body);
  }
}
