/**
 * Plans immutable objects whose names are hashes: activity tiles, and the assets of the page. They are stored before the
 * response that names them, and deleted some time after the last reference is gone (docs/spec/publishing.md#deletions).
 */

import { type ObjectStore, readIfWhole, type StoreObject } from "../../src/object-store/object-store.ts";
import { encodeResponse, JSON_TYPE } from "../../src/object-store/stored-response.ts";
import { activityTileKey, parseActivityTileKey } from "../../src/resources/activity/route.ts";
import { decodeIndexTile, decodeRoot } from "../../src/resources/activity/stored-activity.ts";
import type { ImmutableTile, Publication, TileSet } from "../../src/resources/publication.ts";
import type { Snapshot } from "../../src/resources/snapshot.ts";
import { isFileError } from "../../src/sqlite/sqlite-failure.ts";
import type { Put } from "../put.ts";
import type { PlannedResponse } from "./responses.ts";

const TILE_WAVES = ["tiles", "index-tiles"] as const;

/** The names below a prefix that the stored responses refer to. */
export type StoredNames = ReadonlyMap<string, ReadonlySet<string>>;

/** Changes only while it is made. */
export interface TileSetPlan {
  /** By key. */
  readonly puts: Map<string, Put>;
  /** The names below each prefix once these puts and those of the responses are done. */
  readonly names: Map<string, ReadonlySet<string>>;
  /** Keys that nothing refers to any more, and until when (epoch ms) they are kept. */
  readonly dropped: (readonly [key: string, until: number])[];
  /** Keys that must be stored before a response, by the key of the response. */
  readonly after: Map<string, string[]>;
  /** Publications whose stored names must be read first. */
  readonly needs: Publication[];
  /** Why the tiles of a response cannot be put, by the key of the response. */
  readonly failed: Map<string, unknown>;
}

interface TileSetOptions {
  /** Epoch ms. */
  readonly at: number;
  /** Stored tiles are compared, too. */
  readonly force: boolean;
}

export function planTileSets(
  responses: readonly PlannedResponse[],
  snapshot: Snapshot,
  stored: StoredNames,
  options: TileSetOptions,
): TileSetPlan {
  const plan: TileSetPlan = {
    puts: new Map(),
    names: new Map(),
    dropped: [],
    after: new Map(),
    needs: [],
    failed: new Map(),
  };
  for (const { publication, put } of responses) {
    const { tileSet } = publication;
    if (tileSet === undefined || put === undefined) continue;
    const known = stored.get(tileSet.prefix);
    if (known === undefined && put.action === "updated") {
      plan.needs.push(publication);
      continue;
    }
    try {
      if (tileSet.version(snapshot) !== "") {
        addTiles(plan, { publication, tileSet, snapshot, known: known ?? new Set() }, options);
      }
    } catch (error) {
      if (isFileError(error)) throw error;
      plan.failed.set(put.key, error);
    }
  }
  return plan;
}

interface NamingResponse {
  readonly publication: Publication;
  readonly tileSet: TileSet;
  readonly snapshot: Snapshot;
  /** The names in the stored response. */
  readonly known: ReadonlySet<string>;
}

function addTiles(
  { puts, names, dropped, after }: TileSetPlan,
  { publication: { key, resource }, tileSet: { prefix, keptMs, tiles }, snapshot, known }: NamingResponse,
  { at, force }: TileSetOptions,
): void {
  const nameOf = (tile: ImmutableTile) => tile.key.slice(prefix.length);
  const groups = tiles(snapshot);
  const lacking = groups.flatMap((group, level) =>
    group
      .filter((tile) => force || !known.has(nameOf(tile)))
      .map((tile) => tilePut(tile, { resource, wave: TILE_WAVES[level] ?? "index-tiles", snapshot })),
  );
  // Two pages may name the same assets.
  for (const put of lacking) puts.set(put.key, put);
  after.set(
    key,
    lacking.map((put) => put.key),
  );
  const named = new Set(groups.flat().map(nameOf));
  for (const name of known) if (!named.has(name)) dropped.push([prefix + name, at + keptMs]);
  names.set(prefix, named);
}

function tilePut(
  tile: ImmutableTile,
  { snapshot, ...rest }: Pick<Put, "resource" | "wave"> & { readonly snapshot: Snapshot },
): Put {
  const object = namedObject(tile, snapshot);
  if (object === undefined) throw new Error(`${tile.key} is not in the projections`);
  const report = { why: "new", action: "created", status: 200, etag: null } as const;
  return { key: tile.key, ...rest, object, replaces: null, ...report };
}

/** Undefined if the projections do not have the tile. */
export function namedObject({ body, representation }: ImmutableTile, snapshot: Snapshot): StoreObject | undefined {
  const text = body(snapshot);
  if (text === undefined) return undefined;
  return representation === undefined
    ? { body: Buffer.from(text), contentType: JSON_TYPE, metadata: {} }
    : encodeResponse({ representation, body: Buffer.from(text), successors: [], at: 0 });
}

/** Reads which names a stored response refers to; none if it cannot be read. Throws `StoreUnavailable`. */
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
  const stored = await text(key);
  const root = stored === undefined ? undefined : decodedOrNothing(stored);
  for (const { name } of root?.tiles ?? []) names.add(name);
  for (const { name } of root?.indexes ?? []) {
    const index = await text(activityTileKey(parsed.category, name));
    // A missing index tile is put again, with all tiles below it.
    if (index === undefined) continue;
    names.add(name);
    for (const tile of decodeIndexTile(index)) names.add(tile.name);
  }
  return names;
}

function decodedOrNothing(text: string): ReturnType<typeof decodeRoot> {
  try {
    return decodeRoot(text);
  } catch {
    return undefined;
  }
}
