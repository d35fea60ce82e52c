/** Reads the log that is stored for recovery (docs/spec/publishing.md#log): its checkpoint, and its entries in order. */
import type { InstallationIndex } from "../src/http/installations.ts";
import { checkpointKey, LOG_ROOTS, type LogRoot, logPrefix, PRIVATE_LOGS } from "../src/http/keys.ts";
import { entryTexts, type LogPoint, logSize } from "../src/ledger/log.ts";
import { unpackBundle } from "../src/log/private-bundle.ts";
import { type Bundle, bundlePath, decodeBundle, TILE_WIDTH } from "../src/log/tiles.ts";
import { type ObjectStore, readOrDamaged, StoreDamaged, type StoredObject } from "../src/object-store/object-store.ts";
import { decodeWriterMetadata } from "../src/object-store/stored-response.ts";
import type { Snapshots } from "../src/resources/snapshot.ts";
import { Failure } from "../src/values/failure.ts";
import { logObjectVersion } from "./stored-object.ts";

/** A log in the store, up to its newest checkpoint. */
export interface StoredLog extends LogPoint {
  readonly number: number;
  /** A log that was just made public is stored at both places. */
  readonly place: LogRoot;
}

/**
 * Returns the number of the published log: the last one that has a checkpoint, from the index's number on, because an older index
 * can come back (docs/spec/publishing.md#log). Throws `Failure` log_damaged (74), `StoreUnavailable`.
 */
export async function publishedLogNumber(store: ObjectStore, { log }: Pick<InstallationIndex, "log">): Promise<number> {
  let number = log;
  while ((await readCheckpoint(store, number + 1)) !== undefined) number++;
  return number;
}

/** Returns undefined before the first publish. Throws `Failure` log_damaged (74), `StoreUnavailable`. */
export async function readCheckpoint(store: ObjectStore, number: number): Promise<StoredLog | undefined> {
  const found = await Promise.all(LOG_ROOTS.map((place) => checkpointAt(store, place, number)));
  const stored = found.filter((one) => one !== undefined);
  return stored.toSorted((one, other) => other.size - one.size)[0];
}

async function checkpointAt(store: ObjectStore, place: LogRoot, number: number): Promise<StoredLog | undefined> {
  const key = checkpointKey(place, number);
  const object = await readOrDamaged(store, key);
  if (object === undefined) return undefined;
  const version = object instanceof StoreDamaged ? undefined : logObjectVersion(key, object);
  if (version?.size === undefined || version.root === undefined) throw logDamaged(key, "is no checkpoint of this log");
  return { number, place, size: version.size, root: version.root };
}

/** Yields the texts of the entries from `from` on. Throws `Failure` log_damaged (74), `StoreUnavailable`. */
export async function* readEntries(
  store: ObjectStore,
  { number, place, size }: StoredLog,
  from = 0,
): AsyncGenerator<string> {
  for (let index = Math.floor(from / TILE_WIDTH); index * TILE_WIDTH < size; index++) {
    const width = Math.min(TILE_WIDTH, size - index * TILE_WIDTH);
    const { key, object } = await readBundle(store, logPrefix(place, number), { index, width });
    if (object === undefined) throw logDamaged(key, "is missing");
    // A bundle may have entries beyond the checkpoint, which are not committed.
    yield* textsOf(key, object, { place, width }).slice(Math.max(0, from - index * TILE_WIDTH));
  }
}

/** Reads the bundle with this number of entries, or a longer one. Only a public log has partial bundles under their own keys. */
async function readBundle(store: ObjectStore, prefix: string, bundle: Bundle) {
  const widths = prefix.startsWith(PRIVATE_LOGS) ? [TILE_WIDTH] : [...new Set([bundle.width, TILE_WIDTH])];
  let key = "";
  for (const width of widths) {
    key = prefix + bundlePath({ ...bundle, width });
    const object = await readOrDamaged(store, key);
    if (object !== undefined) return { key, object };
  }
  return { key, object: undefined };
}

/** Throws `Failure` log_damaged unless the bundle has `count` entries. */
function textsOf(
  key: string,
  object: StoredObject | StoreDamaged,
  { place, width: count }: Pick<StoredLog, "place"> & Pick<Bundle, "width">,
): string[] {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    if (object instanceof StoreDamaged) throw object;
    const width = bundleWidth(object);
    if (width < count) throw new RangeError(`${width} of ${count} entries`);
    return decodeBundle(place === PRIVATE_LOGS ? unpackBundle(object.body) : object.body, width)
      .slice(0, count)
      .map((entry) => decoder.decode(entry));
  } catch (cause) {
    throw logDamaged(key, `is no bundle of ${count} entries`, cause);
  }
}

/** The number of entries in a bundle, which may be more than a checkpoint commits. */
function bundleWidth({ metadata }: StoredObject): number {
  const { size = 0 } = decodeWriterMetadata(metadata).sourceVersion;
  return ((size - 1) % TILE_WIDTH) + 1;
}

function logDamaged(key: string, says: string, cause?: unknown): Failure {
  return new Failure("log_damaged", `${key} ${says}`, { cause });
}

/** The published facts of one installation, and how many of them a ledger lacks or has in another order. */
export interface Lacking {
  published: number;
  missing: number;
}

/** Compares the ledger with the published log, entry by entry. Only installations that lack facts are returned. */
export async function comparedWithLog(
  store: ObjectStore,
  number: number,
  sources: Snapshots,
): Promise<{ readonly size: number; readonly lacking: ReadonlyMap<string, Lacking> }> {
  const stored = await readCheckpoint(store, number);
  if (stored === undefined) return { size: 0, lacking: new Map() };
  const counts = new Map<string, Lacking>();
  let index = 0;
  let own: string[] = [];
  for await (const text of readEntries(store, stored)) {
    if (index % TILE_WIDTH === 0) own = entriesFrom(sources, index);
    const { installationId } = JSON.parse(text) as { installationId: string };
    const count = counts.get(installationId) ?? { published: 0, missing: 0 };
    count.published++;
    if (own[index % TILE_WIDTH] !== text) count.missing++;
    counts.set(installationId, count);
    index++;
  }
  return { size: stored.size, lacking: new Map([...counts].filter(([, { missing }]) => missing > 0)) };
}

function entriesFrom(sources: Snapshots, from: number): string[] {
  return sources.snapshot(({ ledger }) =>
    ledger === undefined ? [] : [...entryTexts(ledger, from, Math.min(from + TILE_WIDTH, logSize(ledger)))],
  );
}
