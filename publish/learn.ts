/** Looks up what a plan needs and `known` lacks. This is the only code that reads the store for a plan. */
import { FIRST_LOG } from "../src/http/installations.ts";
import { checkpointKey, INSTALLATIONS_KEY, isLogKey, LOG_ROOTS } from "../src/http/keys.ts";
import type { LogPoint } from "../src/ledger/log.ts";
import { keyFault } from "../src/object-store/check-object.ts";
import {
  type ObjectStore,
  readOrDamaged,
  StoreDamaged,
  type StoredObject,
  type StoreTag,
} from "../src/object-store/object-store.ts";
import { decodeWriterMetadata, type SourceVersion, type StoredResponse } from "../src/object-store/stored-response.ts";
import { tileBounds } from "../src/resources/observations/build.ts";
import {
  observationsKey,
  observationTileKey,
  parseObservationTileKey,
  tileOf,
} from "../src/resources/observations/route.ts";
import { parseInstallationTelemetryKey } from "../src/resources/telemetry/route.ts";
import { elementAt } from "../src/values/unknown.ts";
import { eachLimited } from "./each-limited.ts";
import type { Known, PublishedInstallations } from "./known.ts";
import type { KnownObject } from "./known-objects.ts";
import type { TileProgress } from "./known-tiles.ts";
import { reconcileListed } from "./plan/check.ts";
import { storedCheckpoint } from "./plan/log-state.ts";
import type { StoreLookup } from "./plan/plan.ts";
import { logObjectVersion, observationCount, responseAt } from "./stored-object.ts";

export interface Learning {
  readonly known: Known;
  readonly store: ObjectStore;
  /** Requests in flight. */
  readonly concurrency: number;
}

/** Throws `StoreUnavailable`. */
export async function learn(lookups: readonly StoreLookup[], learning: Learning): Promise<void> {
  const { store, known, concurrency } = learning;
  const asked = new Map(lookups.map((one) => [nameOf(one), one]));
  const read: SourceVersion[] = [];
  await eachLimited(asked.values(), concurrency, async (one) => {
    switch (one.is) {
      case "progress": {
        const { progress, faulty } = await readProgress(one, learning);
        for (const { key, tag } of faulty) known.tiles.rememberFaulty(key, tag);
        known.tiles.rememberProgress(one.installationId, progress);
        return void (progress.point && read.push({ at: 0, log: progress.log, ...progress.point }));
      }
      case "listing":
        return known.listings.remember(one.prefix, await namesBelow(one.prefix, store));
      case "installations":
        known.publishedInstallations = await listInstallations(store);
        return;
      case "log":
        return learnLog(learning);
      case "index":
        return learnIndex(learning);
      case "object":
        remember(one.key, await readObject(one.key, store), known);
        return void read.push(known.objects.floor(one.key) ?? { at: 0 });
    }
  });
  for (const version of read) forgetOlderCheckpoint(version, known);
  if (asked.has("index")) reconcileListed(known);
}

/**
 * An object is put after the checkpoint that covers its facts. So an object of more entries proves a newer checkpoint. A publisher
 * that has not noticed yet that it lost its lease has put both. The checkpoint is read again before anything is planned.
 */
function forgetOlderCheckpoint({ log, size = 0 }: SourceVersion, known: Known): void {
  const checkpoint = log === undefined || log !== known.log ? undefined : storedCheckpoint(known, log);
  if (checkpoint !== undefined && (checkpoint.sourceVersion.size ?? 0) < size) known.objects.forget(checkpoint.key);
}

function nameOf(lookup: StoreLookup): string {
  if (lookup.is === "progress") return `progress ${lookup.installationId}`;
  if (lookup.is === "listing") return `listing ${lookup.prefix}`;
  return lookup.is === "object" ? lookup.key : lookup.is;
}

/** `object` is undefined unless a publisher's object is stored. `tag` is null if nothing is stored. */
interface Found {
  readonly tag: StoreTag | null;
  readonly object?: KnownObject;
  readonly stored?: StoredObject;
}

async function readObject(key: string, store: ObjectStore): Promise<Found> {
  const stored = await readOrDamaged(store, key);
  if (stored === undefined || stored instanceof StoreDamaged) return { tag: stored?.tag ?? null };
  if (isLogKey(key)) {
    const version = logObjectVersion(key, stored);
    return { tag: stored.tag, ...(version && { object: knownLogObject(key, stored, version), stored }) };
  }
  const response = responseAt(key, stored);
  return { tag: stored.tag, ...(response && { object: knownObject(key, stored, response), stored }) };
}

function remember(key: string, { tag, object, stored }: Found, known: Known): void {
  if (object === undefined || stored === undefined) {
    known.objects.rememberFaulty(key, tag);
    return;
  }
  const { epoch } = decodeWriterMetadata(stored.metadata);
  if (Number.isSafeInteger(epoch)) known.highestEpoch = Math.max(known.highestEpoch, epoch);
  const { at, of, log, size = 0 } = object.sourceVersion;
  const floor = known.objects.floor(key) ?? { at: 0 };
  // Bucket versioning may have brought back an older object. The newest published version is kept. An object of more entries is
  // never older, whatever its instant: a publisher that has lost its lease may still have put it.
  const isOlder = at < floor.at && of === floor.of && log === floor.log && size <= (floor.size ?? 0);
  // A response is compared with what is stored. A checkpoint is not: its version says what is committed, so it is put again.
  if (isOlder && isLogKey(key)) return known.objects.rememberFaulty(key, tag);
  known.objects.remember(isOlder ? { ...object, sourceVersion: floor } : object);
  known.objects.keepBody(key, stored);
}

function knownObject(key: string, found: StoredObject, response: StoredResponse): KnownObject {
  const { representation, states, writerMetadata } = response;
  const { sourceVersion } = writerMetadata;
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

function knownLogObject(key: string, { tag, body }: StoredObject, sourceVersion: SourceVersion): KnownObject {
  const rest = { states: [], status: 200, bytes: body.length, etag: null, putAt: sourceVersion.at };
  return { key, condition: "stored", tag, sourceVersion, ...rest };
}

/** An older index may have come back. The installations that it lacks are found by their objects, because a refused ledger names none. */
async function learnIndex({ store, known }: Learning): Promise<void> {
  const newest = known.objects.floor(INSTALLATIONS_KEY)?.at ?? 0;
  const found = await readObject(INSTALLATIONS_KEY, store);
  remember(INSTALLATIONS_KEY, found, known);
  const isOlder = found.object !== undefined && found.object.sourceVersion.at < newest;
  if (isOlder) known.publishedInstallations = await listInstallations(store);
}

/**
 * Finds the number of the published log. The index names it, but an older index can come back, and a new log begins with its
 * entry in the index. So it is the last number that has a checkpoint, or else the one in the index.
 */
async function learnLog({ store, known }: Learning): Promise<void> {
  const index = known.objects.index;
  const inIndex =
    index === undefined || index === "lost" ? (known.publishedInstallations?.log ?? FIRST_LOG) : index.log;
  let number = Math.max(inIndex, known.log ?? FIRST_LOG);
  const read = async (log: number) => {
    const keys = LOG_ROOTS.map((root) => checkpointKey(root, log));
    const found = await Promise.all(keys.map((key) => readObject(key, store)));
    found.forEach((one, at) => remember(elementAt(keys, at), one, known));
    return found.some(({ tag }) => tag !== null);
  };
  await read(number);
  while (await read(number + 1)) number++;
  known.log = number;
}

/** Leaves out names that no store can hold, such as a folder marker: nothing refers to them, and no deletion accepts them. */
async function namesBelow(prefix: string, store: ObjectStore): Promise<string[]> {
  const names: string[] = [];
  for await (const key of store.list(prefix)) if (keyFault(key) === undefined) names.push(key.slice(prefix.length));
  return names;
}

const INSTALLATIONS_PREFIX = "v1/public/installations/~";

/** Returns every installation that has stored objects. */
async function listInstallations(store: ObjectStore): Promise<PublishedInstallations> {
  const installations = new Map<string, number>();
  let log = FIRST_LOG;
  for await (const key of store.list(INSTALLATIONS_PREFIX)) {
    const tile = parseObservationTileKey(key);
    const id = tile?.installationId ?? parseInstallationTelemetryKey(key);
    if (id === undefined) continue;
    const own = Math.max(installations.get(id) ?? FIRST_LOG, tile?.log ?? FIRST_LOG);
    installations.set(id, own);
    log = Math.max(log, own);
  }
  return { installations, log };
}

interface FoundProgress {
  readonly progress: TileProgress;
  /** Tiles that must be rewritten, with the tag of what is stored there; null: nothing. */
  readonly faulty: readonly { readonly key: string; readonly tag: StoreTag | null }[];
}

/**
 * Finds the end of the tiles of a log. If a known end is inside a tile, it reads only that tile. Otherwise it lists the
 * tiles, which also finds missing ones below the end.
 */
async function readProgress(
  { installationId, log, lastTile }: Extract<StoreLookup, { readonly is: "progress" }>,
  { store, known }: Learning,
): Promise<FoundProgress> {
  const nothing = { log, position: 0, tag: null, point: null };
  const keyOf = (tile: number) => observationTileKey(installationId, log, tile);
  const before = known.tiles.progressFloor(installationId);
  const isKnown = before?.log === log && before.position > 0;
  // A full tile may be followed by another one, whose put got no response.
  if (isKnown && before.position < tileBounds(tileOf(before.position)).last) {
    const found = await readOrDamaged(store, keyOf(tileOf(before.position)));
    if (found !== undefined && !(found instanceof StoreDamaged) && found.tag === before.tag) {
      return { progress: before, faulty: [] };
    }
  }
  const tiles = new Set<number>();
  for await (const key of store.list(`${observationsKey(installationId)}/${log}/`)) {
    const tile = parseObservationTileKey(key)?.tile;
    // Somebody else has put what lies beyond the ledger, and a name there could say any number.
    if (tile !== undefined && tile <= lastTile) tiles.add(tile);
  }
  const stored = [...tiles].toSorted((one, other) => other - one);
  let faulty: FoundProgress["faulty"] = [];
  let progress: TileProgress = nothing;
  for (const tile of stored) {
    const found = await readOrDamaged(store, keyOf(tile));
    const whole = found instanceof StoreDamaged ? undefined : found;
    const count = whole && observationCount({ installationId, tile }, whole);
    const { first } = tileBounds(tile);
    if (whole !== undefined && count !== undefined) {
      progress = { log, position: first - 1 + count, tag: whole.tag, point: pointOf(whole) };
      break;
    }
    // Tiles are put in ascending order. What lies beyond a gap, and is no tile, was put there by somebody else.
    if (tile > 0 && !tiles.has(tile - 1)) continue;
    // The tile is rewritten from its first position on.
    faulty = [{ key: keyOf(tile), tag: found?.tag ?? null }];
    progress = { ...nothing, position: first - 1 };
    break;
  }
  const through = Math.max(progress.position, isKnown ? before.position : 0);
  const last = through === 0 ? -1 : tileOf(through);
  const missing = Array.from({ length: last + 1 }, (_, tile) => tile).filter((tile) => !tiles.has(tile));
  return { progress, faulty: [...faulty, ...missing.map((tile) => ({ key: keyOf(tile), tag: null }))] };
}

/** The state of the log from which a tile was put; null if its metadata do not say it. */
function pointOf({ metadata }: StoredObject): LogPoint | null {
  try {
    const { size, root } = decodeWriterMetadata(metadata).sourceVersion;
    return size === undefined || root === undefined ? null : { size, root };
  } catch {
    return null;
  }
}
