import { Miniflare } from "miniflare";
import type { Front } from "./front.ts";
import { WorkerBucket } from "./r2-bucket.ts";
import { workerBundle } from "./workerd/worker-bundle.ts";

/** The Worker as deployed, on workerd with its R2 and cache. */
export async function startWorker(): Promise<Front & { readonly store: WorkerBucket }> {
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
    store: await WorkerBucket.of(miniflare),
    stop: () => miniflare.dispose(),
  };
}
