import { Miniflare } from "miniflare";
import { type R2Bucket, R2Store } from "../../src/object-store/r2/r2-store.ts";
import { PUT_ID } from "../../src/object-store/seal.ts";
import type { Front } from "./front.ts";
import { workerBundle } from "./workerd/worker-bundle.ts";

/** The Worker as deployed, on workerd with its R2 and cache. */
export async function startWorker(): Promise<Front & { readonly store: R2Store }> {
  const miniflare = new Miniflare({
    host: "127.0.0.1",
    modules: true,
    script: await workerBundle('export { default } from "../../../src/shim/worker/worker.ts";'),
    compatibilityDate: "2026-07-01",
    r2Buckets: ["STORE"],
  });
  const { port } = await miniflare.ready;
  const bucket = (await miniflare.getR2Bucket("STORE")) as unknown as R2Bucket;
  // A publisher puts through R2's S3 interface, which adds the id of the put.
  const put: R2Bucket["put"] = (key, body, options) =>
    bucket.put(key, body, { ...options, customMetadata: { ...options.customMetadata, [PUT_ID]: "0123456789ab" } });
  return {
    hostname: "127.0.0.1",
    port: Number(port),
    store: new R2Store({ ...bucket, put }),
    stop: () => miniflare.dispose(),
  };
}
