/** The shim as a Cloudflare Worker over R2 (`cdn-config/cloudflare`, `docs/cdn-cloudflare.md`). */

import { type R2Bucket, R2Store } from "../../object-store/r2/r2-store.ts";
import { type ShimContext, shimContext } from "../context.ts";
import { webHandler } from "../web-handler.ts";
import { type EdgeCache, edgeStore } from "./edge-store.ts";

export interface WorkerEnvironment {
  readonly STORE: R2Bucket;
  /** The prefix of the objects' keys in the bucket; absent for none. */
  readonly PREFIX?: string;
}

/** One for each isolate. It keeps no request's objects except promises of their values (`edge-store.ts`). */
let context: ShimContext | undefined;

// A Worker's handlers are its default export.
export default {
  fetch(request: Request, { STORE, PREFIX }: WorkerEnvironment): Promise<Response> {
    context ??= shimContext({
      store: edgeStore(
        new R2Store(STORE, PREFIX),
        (globalThis as unknown as { caches: { default: EdgeCache } }).caches.default,
        () => Date.now(),
      ),
      now: () => Date.now(),
      monotonic: () => performance.now(),
    });
    return webHandler(context)(request);
  },
};
