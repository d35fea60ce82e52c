/** Looks up what a plan needs and `known` lacks. This is the only code that reads the store for a plan. */
import { judgeObservationTile } from "../src/fsck/objects.ts";
import { parseIndex, parseIndexShard } from "../src/http/installations.ts";
import {
  type ObjectStore,
  readOrDamaged,
  StoreDamaged,
  type StoredObject,
  type StoreTag,
} from "../src/object-store/object-store.ts";
import { decodeResponse } from "../src/object-store/stored-response.ts";
import { tileBounds } from "../src/resources/observations/build.ts";
import {
  observationsKey,
  observationTileKey,
  parseObservationTileKey,
  tileOf,
} from "../src/resources/observations/route.ts";
import { parseInstallationTelemetryKey } from "../src/resources/telemetry/route.ts";
import { eachLimited } from "./each-limited.ts";
import type { Known, KnownObject, TileProgress } from "./known.ts";
import { FIRST_HISTORY, higherHistory } from "./plan/installations.ts";
import type { Unknown } from "./plan/plan.ts";

export interface Learning {
  readonly store: ObjectStore;
  readonly known: Known;
  /** Requests in flight. */
  readonly concurrency: number;
  /** From the chain's nodes; undefined if all are silent. */
  blockHash(number: bigint): Promise<string | undefined>;
}

/** Throws `StoreUnavailable`. */
export async function learn(unknown: readonly Unknown[], learning: Learning): Promise<void> {
  const { store, known, concurrency } = learning;
  const asked = new Map(unknown.map((one) => [nameOf(one), one]));
  await eachLimited(asked.values(), concurrency, async (one) => {
    if (one.is === "history") known.rememberProgress(one.installationId, await findProgress(one, learning));
    else if (one.is === "listing") await list(one.prefix, learning);
    else if (one.is === "block") {
      known.rememberBlock(one.number, (await learning.blockHash(BigInt(one.number))) ?? null);
    } else if (one.is === "installations") known.publishedInstallations = await listInstallations(store);
    else await readObject(one.is, one.key, learning);
  });
}

/** A saved history and the response that contains it are the same object. */
function nameOf(unknown: Unknown): string {
  if (unknown.is === "history") return `history ${unknown.installationId}`;
  if (unknown.is === "block") return `block ${unknown.number}`;
  if (unknown.is === "listing") return `listing ${unknown.prefix}`;
  return unknown.is === "installations" ? "installations" : unknown.key;
}

async function readObject(
  is: "answer" | "saved" | "index" | "shard",
  key: string,
  { store, known }: Learning,
): Promise<void> {
  const found = await readOrDamaged(store, key);
  const sourceVersion = known.floor(key) ?? { at: 0 };
  if (found === undefined || found instanceof StoreDamaged) {
    known.rememberFaulty(key, found?.tag ?? null);
    return;
  }
  try {
    if (is === "index") parseIndex(new TextDecoder().decode(found.body));
    if (is === "shard") parseIndexShard(new TextDecoder().decode(found.body));
    const object = knownObject(key, found);
    // An older version may have come back (bucket versioning): the newest published version is remembered.
    const isOlder =
      object.sourceVersion.at < sourceVersion.at &&
      object.sourceVersion.of === sourceVersion.of &&
      object.sourceVersion.history === sourceVersion.history;
    known.remember(isOlder ? { ...object, sourceVersion } : object);
    known.keepBody(key, found);
  } catch {
    // Not an object that a publisher writes.
    known.rememberFaulty(key, found.tag);
  }
}

/** Throws if the object is not a stored response. */
function knownObject(key: string, found: StoredObject): KnownObject {
  const { representation, states, writerMetadata } = decodeResponse(found);
  const { sourceVersion } = writerMetadata;
  // In an array, `at` would be a function.
  if (!Number.isFinite(sourceVersion.at)) throw new TypeError("its sourceVersion has no instant");
  return {
    key,
    condition: "stored",
    tag: found.tag,
    states,
    sourceVersion,
    status: representation.status,
    bytes: found.body.length,
    etag: representation.headers.etag ?? null,
    putAt: sourceVersion.at,
  };
}

async function list(prefix: string, { store, known }: Learning): Promise<void> {
  const names: string[] = [];
  for await (const key of store.list(prefix)) names.push(key.slice(prefix.length));
  known.rememberListing(prefix, names);
}

const INSTALLATIONS_PREFIX = "v1/public/installations/~";

/** Every installation that has stored objects, with the highest history of its tiles. */
async function listInstallations(store: ObjectStore): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for await (const key of store.list(INSTALLATIONS_PREFIX)) {
    const tile = parseObservationTileKey(key);
    const id = tile?.installationId ?? parseInstallationTelemetryKey(key);
    if (id === undefined) continue;
    found.set(id, higherHistory(found.get(id), tile?.history ?? FIRST_HISTORY) ?? FIRST_HISTORY);
  }
  return found;
}

type History = Extract<Unknown, { readonly is: "history" }>;

/**
 * The end of a history's tiles. If it was known before, only the newest tile is read. Else the tiles are listed, which
 * also finds missing ones below the end.
 */
async function findProgress(unknown: History, { store, known }: Learning): Promise<TileProgress> {
  const { installationId, history } = unknown;
  // Listed as a whole already: a first publish asks for no installation by itself.
  if (known.publishedInstallations?.has(installationId) === false) {
    return { history, position: 0, tag: null, telemetryId: null };
  }
  const before = known.progressFloor(installationId);
  const keyOf = (tile: number) => observationTileKey(installationId, history, tile);
  if (before?.history === history && before.position > 0) {
    const found = await readOrDamaged(store, keyOf(tileOf(before.position)));
    if (found !== undefined && !(found instanceof StoreDamaged) && found.tag === before.tag) return before;
  }
  const setFaulty = (key: string, tag: StoreTag | null) => {
    known.rememberFaulty(key, tag);
    known.setTileFaulty(key, true);
  };
  const tiles = new Set<number>();
  for await (const key of store.list(`${observationsKey(installationId)}/${history}/`)) {
    const tile = parseObservationTileKey(key)?.tile;
    if (tile !== undefined) tiles.add(tile);
  }
  const newest = Math.max(-1, ...tiles);
  const floor = before?.history === history && before.position > 0 ? tileOf(before.position) : -1;
  for (let tile = 0; tile <= Math.max(newest, floor); tile++) {
    if (!tiles.has(tile)) setFaulty(keyOf(tile), null);
  }
  if (newest < 0) return { history, position: 0, tag: null, telemetryId: null };
  const found = await readOrDamaged(store, keyOf(newest));
  const tile = { installationId, history, tile: newest };
  const facts = found === undefined || found instanceof StoreDamaged ? undefined : judgeObservationTile(tile, found);
  const { first } = tileBounds(newest);
  if (found === undefined || facts?.complaint !== undefined || facts?.lastTelemetryId === undefined) {
    // The tile is rewritten from its first position on.
    setFaulty(keyOf(newest), found?.tag ?? null);
    return { history, position: first - 1, tag: null, telemetryId: null };
  }
  return { history, position: first - 1 + facts.positions, tag: found.tag, telemetryId: facts.lastTelemetryId };
}
