/** The shim as a Cloudflare Worker over R2 (`cdn-config/cloudflare`, `docs/cdn.md`). */

import { type R2Bucket, R2Store } from "../../object-store/r2/r2-store.ts";
import { type ShimContext, shimContext } from "../context.ts";
import { webHandler } from "../web-handler.ts";
import { type EdgeCache, edgeStore } from "./edge-store.ts";

declare const caches: { readonly default: EdgeCache };

export interface WorkerEnvironment {
  readonly STORE: R2Bucket;
  /** The prefix of the objects' keys in the bucket; absent for none. */
  readonly PREFIX?: string;
  /** The bucket's name. It separates the cache of this deployment from others in the zone. */
  readonly BUCKET?: string;
}

/** One for each isolate. It keeps no request's objects except promises of their values (`edge-store.ts`). */
let context: ShimContext | undefined;

// A Worker's handlers are its default export.
export default {
  fetch(request: Request, { STORE, PREFIX, BUCKET = "" }: WorkerEnvironment): Promise<Response> {
    context ??= shimContext({
      store: edgeStore(
        new R2Store(STORE, PREFIX),
        { match: (url) => caches.default.match(url), put: (url, response) => caches.default.put(url, response) },
        `${BUCKET}/${PREFIX ?? ""}`,
        () => Date.now(),
      ),
      now: () => Date.now(),
      monotonic: () => performance.now(),
    });
    return webHandler(context)(request);
  },
};
