import { Miniflare } from "miniflare";
import { type R2Bucket, R2Store } from "../../src/object-store/r2/r2-store.ts";
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
  return {
    hostname: "127.0.0.1",
    port: Number(port),
    store: new R2Store((await miniflare.getR2Bucket("STORE")) as unknown as R2Bucket),
    stop: () => miniflare.dispose(),
  };
}
