/**
 * Plans immutable objects whose names are hashes: activity tiles, and the assets of the page. They are stored before the response that
 * names them, and deleted some time after the last reference is gone (docs/spec/publishing.md#deletions).
 */
import { encodeResponse, JSON_TYPE } from "../../src/object-store/stored-response.ts";
import { type ObjectStore, readIfWhole, type StoreObject } from "../../src/object-store/object-store.ts";
import { activityTileKey, parseActivityTileKey } from "../../src/resources/activity/route.ts";
import { decodeHead, decodeIndexTile } from "../../src/resources/activity/stored-feed.ts";
import { isFileError } from "../../src/sqlite/sqlite-failure.ts";
import type { ImmutableTile, Publication, TileSet } from "../../src/resources/publication.ts";
import type { Snapshot } from "../../src/resources/snapshot.ts";
import type { Put } from "../put.ts";
import type { PlannedResponse } from "./responses.ts";

const TILE_WAVES = ["tiles", "index-tiles"] as const;

/** The names below a prefix that the stored responses refer to. */
export type StoredNames = ReadonlyMap<string, ReadonlySet<string>>;

export interface TileSetPlan {
  readonly puts: readonly Put[];
  /** The names below each prefix once these puts and those of the responses are done. */
  readonly names: StoredNames;
  /** Keys that nothing refers to any more, and for how long they are kept (ms). */
  readonly dropped: readonly (readonly [key: string, keptMs: number])[];
  /** Keys that must be stored before a response, by the key of the response. */
  readonly after: ReadonlyMap<string, readonly string[]>;
  /** Publications whose stored names must be read first. */
  readonly needs: readonly Publication[];
  /** Why the tiles of a response cannot be put, by the key of the response. */
  readonly failed: ReadonlyMap<string, unknown>;
}

/** `at`: epoch ms. `force`: stored tiles are compared, too. */
export function planTileSets(
  responses: readonly PlannedResponse[],
  snapshot: Snapshot,
  stored: StoredNames,
  { at, force }: { readonly at: number; readonly force: boolean },
): TileSetPlan {
  const puts = new Map<string, Put>();
  const names = new Map<string, ReadonlySet<string>>();
  const dropped: [string, number][] = [];
  const after = new Map<string, string[]>();
  const needs: Publication[] = [];
  const failed = new Map<string, unknown>();
  for (const { publication, put } of responses) {
    if (publication.tileSet === undefined || put === undefined) continue;
    try {
      planOne(publication, publication.tileSet, put.action === "updated");
    } catch (error) {
      if (isFileError(error)) throw error;
      failed.set(put.key, error);
    }
  }
  return { puts: [...puts.values()], names, dropped, after, needs, failed };

  function planOne({ key, resource, ...publication }: Publication, tileSet: TileSet, isPublished: boolean): void {
    const { prefix, keptMs } = tileSet;
    const known = stored.get(prefix);
    if (known === undefined && isPublished) {
      needs.push({ key, resource, ...publication });
      return;
    }
    if (tileSet.version(snapshot) === "") return;
    const groups = tileSet.tiles(snapshot);
    const named = new Set(groups.flat().map((tile) => tile.key.slice(prefix.length)));
    for (const [level, group] of groups.entries()) {
      for (const tile of group) {
        if (!force && known?.has(tile.key.slice(prefix.length)) === true) continue;
        const object = namedObject(tile, snapshot);
        if (object === undefined) throw new Error(`${tile.key} is not in the projections`);
        puts.set(tile.key, {
          key: tile.key,
          resource,
          wave: TILE_WAVES[level] ?? "index-tiles",
          object,
          replaces: null,
          why: "new",
          action: "created",
          status: 200,
          etag: null,
        });
        after.set(key, [...(after.get(key) ?? []), tile.key]);
      }
    }
    for (const name of known ?? []) if (!named.has(name)) dropped.push([prefix + name, at + keptMs]);
    names.set(prefix, named);
  }
}

/** Undefined if the projections do not have the tile. */
export function namedObject({ body, representation }: ImmutableTile, snapshot: Snapshot): StoreObject | undefined {
  const text = body(snapshot);
  if (text === undefined) return undefined;
  return representation === undefined
    ? { body: Buffer.from(text), contentType: JSON_TYPE, metadata: {} }
    : encodeResponse({ representation, body: Buffer.from(text), successors: [], at: 0 });
}

/** Reads which names a stored response refers to. Nothing that cannot be read is referred to. Throws `StoreUnavailable`. */
export async function readStoredNames({ key, tileSet }: Publication, store: ObjectStore): Promise<Set<string>> {
  const names = new Set<string>();
  if (tileSet === undefined) return names;
  const { prefix } = tileSet;
  const parsed = parseActivityTileKey(`${prefix}x`);
  if (parsed === undefined) {
    for await (const found of store.list(prefix)) names.add(found.slice(prefix.length));
    return names;
  }
  const text = async (one: string) => {
    const found = await readIfWhole(store, one);
    return found && new TextDecoder().decode(found.body);
  };
  const root = await text(key);
  const head = root === undefined ? undefined : decodedOrNothing(root);
  for (const { name } of head?.tiles ?? []) names.add(name);
  for (const { name } of head?.indexes ?? []) {
    const index = await text(activityTileKey(parsed.category, name));
    // A missing index tile is put again, with all tiles below it.
    if (index === undefined) continue;
    names.add(name);
    for (const tile of decodeIndexTile(index)) names.add(tile.name);
  }
  return names;
}

function decodedOrNothing(text: string): ReturnType<typeof decodeHead> {
  try {
    return decodeHead(text);
  } catch {
    return undefined;
  }
}
