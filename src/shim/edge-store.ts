/**
 * A store read through a Worker's cache: an object is kept for the edge seconds of the route that it answers, and the
 * shim applies successors and conditions to it on every request, so that nothing kept outlives its word.
 */
import { ROUTES } from "../http/routes.ts";
import type { StoredObject } from "../object-store/object-store.ts";
import type { StoreReader } from "./recent.ts";

/** What is used of `caches.default`. */
export interface EdgeCache {
  match(url: string): Promise<Response | undefined>;
  put(url: string, response: Response): Promise<void>;
}

const SECONDS = new Map<string, number>(
  ROUTES.flatMap((route) => route.objects.map(({ key }) => [key, route.edgeSeconds] as const)),
);
/** Tiles, heads and the index: as long as the shortest-lived answer that is made of them. */
const OTHER_SECONDS = Math.min(...ROUTES.map((route) => route.edgeSeconds));

export function edgeStore(store: StoreReader, cache: EdgeCache): StoreReader {
  return {
    async get(key, options) {
      if (options?.fresh === true) return store.get(key, options);
      const url = `https://objects.invalid/${encodeURIComponent(key)}`;
      const kept = await cache.match(url);
      if (kept !== undefined) return decode(kept);
      const object = await store.get(key);
      // Absence is not kept: the first publication is seen at once.
      if (object !== undefined) await cache.put(url, encode(object, SECONDS.get(key) ?? OTHER_SECONDS));
      return object;
    },
  };
}

function encode({ body, contentType, tag, metadata }: StoredObject, seconds: number): Response {
  return new Response(Uint8Array.from(body), {
    headers: {
      "cache-control": `max-age=${seconds}`,
      "content-type": contentType,
      "noonmark-tag": tag,
      // Printable ASCII, as metadata is.
      "noonmark-metadata": JSON.stringify(metadata),
    },
  });
}

async function decode(kept: Response): Promise<StoredObject> {
  return {
    body: new Uint8Array(await kept.arrayBuffer()),
    contentType: kept.headers.get("content-type") ?? "",
    tag: kept.headers.get("noonmark-tag") ?? "",
    metadata: JSON.parse(kept.headers.get("noonmark-metadata") ?? "{}") as Record<string, string>,
  };
}
