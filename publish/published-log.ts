/** Reads the log that is stored (docs/spec/publishing.md#log): its checkpoint, and its entries in order. */
import { checkpointKey, type LogForm, logPrefix } from "../src/http/keys.ts";
import type { LogPoint } from "../src/ledger/log.ts";
import { parseCheckpoint } from "../src/log/checkpoint.ts";
import { parseNote } from "../src/log/note.ts";
import { bundlePath, decodeBundle, TILE_WIDTH } from "../src/log/tiles.ts";
import { type ObjectStore, readOrDamaged, StoreDamaged } from "../src/object-store/object-store.ts";
import { Failure } from "../src/values/failure.ts";

export interface StoredCheckpoint extends LogPoint {
  /** The first line. */
  readonly origin: string;
}

/** Undefined before the first publish. Throws `Failure` log_damaged (74), `StoreUnavailable`. */
export async function readCheckpoint(store: ObjectStore, form: LogForm): Promise<StoredCheckpoint | undefined> {
  const key = checkpointKey(form);
  const found = await readOrDamaged(store, key);
  if (found === undefined) return undefined;
  try {
    if (found instanceof StoreDamaged) throw found;
    return parseCheckpoint(form === "public" ? parseNote(found.body).text : new TextDecoder().decode(found.body));
  } catch (cause) {
    throw logDamaged(key, "is no checkpoint of this log", cause);
  }
}

/** Like `readCheckpoint`, but undefined if it is damaged: then it says nothing. */
export async function wholeCheckpoint(store: ObjectStore, form: LogForm): Promise<StoredCheckpoint | undefined> {
  try {
    return await readCheckpoint(store, form);
  } catch (error) {
    if (error instanceof Failure && error.code === "log_damaged") return undefined;
    throw error;
  }
}

/** Yields the texts of the entries `from` to `size - 1`. Throws `Failure` log_damaged (74), `StoreUnavailable`. */
export async function* readEntries(
  store: ObjectStore,
  { form, size }: { readonly form: LogForm; readonly size: number },
  from = 0,
): AsyncGenerator<string> {
  for (let index = Math.floor(from / TILE_WIDTH); index * TILE_WIDTH < size; index++) {
    const width = Math.min(TILE_WIDTH, size - index * TILE_WIDTH);
    yield* (await readBundle(store, form, index, width)).slice(Math.max(0, from - index * TILE_WIDTH));
  }
}

/** Reads the first `width` entries of a bundle. A full one may have replaced the partial one. */
async function readBundle(store: ObjectStore, form: LogForm, index: number, width: number): Promise<string[]> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let key = "";
  for (const stored of new Set([width, TILE_WIDTH])) {
    key = logPrefix(form) + bundlePath({ index, width: stored });
    const found = await readOrDamaged(store, key);
    if (found === undefined) continue;
    try {
      if (found instanceof StoreDamaged) throw found;
      return decodeBundle(found.body, stored)
        .slice(0, width)
        .map((entry) => decoder.decode(entry));
    } catch (cause) {
      throw logDamaged(key, `is no bundle of ${stored} entries`, cause);
    }
  }
  throw logDamaged(key, "is missing");
}

function logDamaged(key: string, says: string, cause?: unknown): Failure {
  return new Failure("log_damaged", `${key} ${says}`, { cause });
}
