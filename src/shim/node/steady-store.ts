/**
 * A store that fails fast. The objects of the last minute are kept, and the shim serves from them, with the version that
 * holds now, while the store fails. A read that takes too long fails. If none has succeeded meanwhile, the store is down:
 * until one read succeeds, at most one at a time asks it, and a reader waits for that one only after a pause.
 */
import { LRUCache } from "lru-cache";
import { StoreDamaged, type StoredObject, StoreUnavailable } from "../../object-store/object-store.ts";
import { matchKey } from "../../resources/find.ts";
import type { StoreReader } from "../context.ts";
import { within } from "../within.ts";

/** Ms; a response needs several reads, so each has less than its limit (`respond.ts`). */
const READ_LIMIT_MS = 500;
const PAUSE_MS = 1_000;
const MAX_KEPT_MS = 60_000;
const MAX_KEPT_BYTES = 32 << 20;

export interface SteadyStore extends StoreReader {
  /** True for a moment after a kept object was served in place of the store's: longer than a response takes. */
  fails(): boolean;
}

interface Kept {
  readonly object: StoredObject;
  /** When the store last had it (ms, monotonic). */
  at: number;
}

export function steadyStore(store: StoreReader, monotonic: () => number): SteadyStore {
  const kept = new LRUCache<string, Kept>({
    maxSize: MAX_KEPT_BYTES,
    sizeCalculation: ({ object }) => object.body.length + 1_024,
  });
  let succeededAt = -Infinity;
  let insteadAt = -Infinity;
  let down: { error: unknown; asks: boolean; until: number } | undefined;

  function succeeded(key: string, object: StoredObject | undefined): StoredObject | undefined {
    succeededAt = monotonic();
    down = undefined;
    const known = kept.get(key);
    if (object === undefined) kept.delete(key);
    else if (known?.object === object) known.at = succeededAt;
    else kept.set(key, { object, at: succeededAt });
    return object;
  }

  function keptObject(key: string): StoredObject | undefined {
    const known = kept.get(key);
    return known !== undefined && monotonic() - known.at < keptMs(key) ? known.object : undefined;
  }

  /** Throws the store's error if nothing is kept. A damaged object is no outage: the publisher puts it again. */
  function instead(key: string, error: unknown, fresh: boolean): StoredObject {
    const object = fresh || error instanceof StoreDamaged ? undefined : keptObject(key);
    if (object === undefined || !(error instanceof StoreUnavailable)) throw error;
    insteadAt = monotonic();
    return object;
  }

  async function inTime(key: string, read: Promise<StoredObject | undefined>): Promise<StoredObject | undefined> {
    const startedAt = monotonic();
    const done = read.then((object) => succeeded(key, object));
    const found = await within(READ_LIMIT_MS, done);
    if (found !== undefined) return found.value;
    done.catch(() => undefined);
    const error = new StoreUnavailable(`${key}: no response within ${READ_LIMIT_MS} ms`);
    if (succeededAt <= startedAt) down = { error, asks: false, until: monotonic() + PAUSE_MS };
    throw error;
  }

  function ask(key: string, options: Parameters<StoreReader["get"]>[1]) {
    const read = store.get(key, options);
    return read instanceof Promise ? inTime(key, read) : succeeded(key, read);
  }

  return {
    fails: () => monotonic() - insteadAt < PAUSE_MS,
    get(key, options) {
      const fresh = options?.fresh === true;
      const outage = down;
      try {
        if (outage !== undefined) {
          if (outage.asks || monotonic() < outage.until) return instead(key, outage.error, fresh);
          outage.asks = true;
          const asked = (async () => ask(key, options))().finally(() => {
            outage.asks = false;
          });
          const object = fresh ? undefined : keptObject(key);
          if (object === undefined) return asked.catch((error: unknown) => instead(key, error, fresh));
          asked.catch(() => undefined);
          insteadAt = monotonic();
          return object;
        }
        const read = ask(key, options);
        return read instanceof Promise ? read.catch((error: unknown) => instead(key, error, fresh)) : read;
      } catch (error) {
        return instead(key, error, fresh);
      }
    },
  };
}

/** As long as caches hide a failing origin; objects of which responses are composed have no row. */
function keptMs(key: string): number {
  const row = matchKey(key);
  return row === undefined ? MAX_KEPT_MS : Math.min(MAX_KEPT_MS, (row.edgeSeconds + row.staleIfErrorSeconds) * 1_000);
}
