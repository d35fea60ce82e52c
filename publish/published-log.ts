/** Reads the log that is stored for recovery (docs/spec/publishing.md#log): its checkpoint, and its entries in order. */
import { checkpointKey, logPrefix } from "../src/http/keys.ts";
import { entryTexts, type LogPoint, logSize } from "../src/ledger/log.ts";
import { parseCheckpoint } from "../src/log/checkpoint.ts";
import { bundlePath, decodeBundle, TILE_WIDTH } from "../src/log/tiles.ts";
import { type ObjectStore, readOrDamaged, StoreDamaged, type StoredObject } from "../src/object-store/object-store.ts";
import { decodeWriterMetadata } from "../src/object-store/stored-response.ts";
import type { Snapshots } from "../src/resources/snapshot.ts";
import { Failure } from "../src/values/failure.ts";

/** Returns undefined before the first publish. Throws `Failure` log_damaged (74), `StoreUnavailable`. */
export async function readCheckpoint(store: ObjectStore, log: number): Promise<LogPoint | undefined> {
  const key = checkpointKey(log);
  const object = await readOrDamaged(store, key);
  if (object === undefined) return undefined;
  try {
    if (object instanceof StoreDamaged) throw object;
    const { size, root } = parseCheckpoint(new TextDecoder().decode(object.body));
    return { size, root };
  } catch (cause) {
    throw logDamaged(key, "is no checkpoint", cause);
  }
}

/** Yields the texts of the first `size` entries. Throws `Failure` log_damaged (74), `StoreUnavailable`. */
export async function* readEntries(store: ObjectStore, log: number, size: number): AsyncGenerator<string> {
  for (let index = 0; index * TILE_WIDTH < size; index++) {
    const key = logPrefix(log) + bundlePath({ index, width: TILE_WIDTH });
    const object = await readOrDamaged(store, key);
    if (object === undefined) throw logDamaged(key, "is missing");
    // A bundle may have entries beyond the checkpoint, which are not committed.
    yield* textsOf(key, object, Math.min(TILE_WIDTH, size - index * TILE_WIDTH));
  }
}

/** Throws `Failure` log_damaged unless the bundle has `count` entries. */
function textsOf(key: string, object: StoredObject | StoreDamaged, count: number): string[] {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    if (object instanceof StoreDamaged) throw object;
    const width = bundleWidth(object);
    if (width < count) throw new RangeError(`${width} of ${count} entries`);
    return decodeBundle(object.body, width)
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
  log: number,
  sources: Snapshots,
): Promise<{ readonly size: number; readonly lacking: ReadonlyMap<string, Lacking> }> {
  const size = (await readCheckpoint(store, log))?.size ?? 0;
  const counts = new Map<string, Lacking>();
  let index = 0;
  let own: string[] = [];
  for await (const text of readEntries(store, log, size)) {
    if (index % TILE_WIDTH === 0) own = entriesFrom(sources, index);
    const { installationId } = JSON.parse(text) as { installationId: string };
    const count = counts.get(installationId) ?? { published: 0, missing: 0 };
    count.published++;
    if (own[index % TILE_WIDTH] !== text) count.missing++;
    counts.set(installationId, count);
    index++;
  }
  return { size, lacking: new Map([...counts].filter(([, { missing }]) => missing > 0)) };
}

function entriesFrom(sources: Snapshots, from: number): string[] {
  return sources.snapshot(({ ledger }) =>
    ledger === undefined ? [] : [...entryTexts(ledger, from, Math.min(from + TILE_WIDTH, logSize(ledger)))],
  );
}
