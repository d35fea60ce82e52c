/**
 * A store that is read through a Worker's cache. An object is kept for the edge seconds of its route. The shim applies
 * successors and conditions to it on every request, so that nothing outlives its validity. While the store fails, kept
 * objects are served for as long as the table allows. An object without a row is not kept. A cache that fails, hangs or
 * has something else is a miss: it never fails a request.
 */
import type { Row } from "../../http/route.ts";
import { decodedAs, type StoredObject, StoreUnavailable } from "../../object-store/object-store.ts";
import { matchKey } from "../../resources/find.ts";
import type { StoreReader } from "../context.ts";
import { within } from "../within.ts";

/** The methods used of `caches.default`. */
export interface EdgeCache {
  match(url: string): Promise<Response | undefined>;
  put(url: string, response: Response): Promise<void>;
}

interface Kept {
  readonly object: StoredObject;
  /** Epoch ms. */
  readonly at: number;
  /** `at` of the build (epoch ms), which never goes back. */
  readonly builtAt: number;
}

/**
 * `deployment`: the name of the bucket and of the prefix in it, because all Workers of a zone have one cache. `now`:
 * epoch ms of the machine, not of the store.
 */
export function edgeStore(store: StoreReader, cache: EdgeCache, deployment: string, now: () => number): StoreReader {
  const read = collapsed(refresh);
  const urlOf = (key: string) => `https://objects.invalid/${[deployment, key].map(encodeURIComponent).join("/")}`;
  const match = (key: string) => orMiss(async () => decode(await cache.match(urlOf(key))));
  return {
    async get(key, options) {
      if (options?.fresh === true) return refresh(key);
      const row = matchKey(key);
      if (row === undefined) return store.get(key, options);
      const kept = await match(key);
      const { edgeSeconds, staleIfErrorSeconds } = row;
      const age = kept === undefined ? Infinity : now() - kept.at;
      if (age < edgeSeconds * 1_000) return kept?.object;
      try {
        return await read(key);
      } catch (error) {
        if (!(error instanceof StoreUnavailable) || age >= (edgeSeconds + staleIfErrorSeconds) * 1_000) throw error;
        return kept?.object;
      }
    },
  };

  async function refresh(key: string): Promise<StoredObject | undefined> {
    const at = now();
    const object = await store.get(key, { fresh: true });
    // A miss is not kept: the first publication is seen at once.
    const row = matchKey(key);
    if (object === undefined || row === undefined) return object;
    // A slow read must not replace the result of a later one.
    const kept = await match(key);
    const builtAt = decodedAs(key, object, builtAtOf);
    if (kept !== undefined && kept.builtAt > builtAt) return kept.object;
    await orMiss(() => cache.put(urlOf(key), encode(object, at, row)));
    return object;
  }
}

/** 0 for a tile, which only grows. */
function builtAtOf({ metadata }: StoredObject): number {
  return Number(metadata.at ?? "0");
}

/** How long a request waits for the cache, or for another request's read (ms), which workerd may have cancelled. */
const PATIENCE_MS = 250;

async function orMiss<Value>(work: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return (await within(PATIENCE_MS, work()))?.value;
  } catch {
    // The store has the object, too.
    return undefined;
  }
}

function encode({ body, contentType, tag, metadata }: StoredObject, at: number, row: Row): Response {
  return new Response(Uint8Array.from(body), {
    headers: {
      "cache-control": `max-age=${row.edgeSeconds + row.staleIfErrorSeconds}`,
      "content-type": contentType,
      "noonmark-at": String(at),
      "noonmark-tag": tag,
      // Printable ASCII, as metadata is.
      "noonmark-metadata": JSON.stringify(metadata),
    },
  });
}

/** Throws for a response that `encode` has not made. */
async function decode(kept: Response | undefined): Promise<Kept | undefined> {
  if (kept === undefined) return undefined;
  const header = (name: string) => {
    const value = kept.headers.get(name);
    if (kept.status !== 200 || value === null) throw new Error(`no ${name}`);
    return value;
  };
  const object = {
    contentType: header("content-type"),
    tag: header("noonmark-tag"),
    metadata: JSON.parse(header("noonmark-metadata")) as Record<string, string>,
    body: new Uint8Array(await kept.arrayBuffer()),
  };
  return { object, at: Number(header("noonmark-at")), builtAt: builtAtOf(object) };
}

/**
 * Simultaneous reads of one key share one, however long it takes. This is for caches, whose readers accept a response
 * that is a moment old. A failed read fails only for those who share it.
 */
function collapsed<Value>(read: (key: string) => Promise<Value>): (key: string) => Promise<Value> {
  const running = new Map<string, Promise<Value>>();

  return async (key) => {
    const other = running.get(key);
    if (other === undefined) return start(key);
    const shared = await within(PATIENCE_MS, other);
    return shared === undefined ? start(key) : shared.value;
  };

  function start(key: string): Promise<Value> {
    const own = read(key).finally(() => {
      if (running.get(key) === own) running.delete(key);
    });
    running.set(key, own);
    return own;
  }
}
