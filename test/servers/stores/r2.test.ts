/** The R2 store over workerd's R2, through the same binding as in a Worker. */
import { Miniflare } from "miniflare";
import { afterAll, beforeAll, expect, test } from "vitest";
import { StoreUnavailable } from "../../../src/object-store/object-store.ts";
import { type R2Bucket, R2Store } from "../../../src/object-store/r2/r2-store.ts";
import { conforms } from "../../object-store/conformance.ts";
import { sample } from "../../object-store/samples.ts";

let miniflare: Miniflare;
let bucket: R2Bucket;
let folders = 0;
beforeAll(async () => {
  miniflare = new Miniflare({ modules: true, script: "export default {}", r2Buckets: ["STORE"], host: "127.0.0.1" });
  bucket = (await miniflare.getR2Bucket("STORE")) as unknown as R2Bucket;
});
afterAll(() => miniflare.dispose());

conforms("R2", {
  open: async () => new R2Store(bucket, `folder/${++folders}`),
  again: async (store) => new R2Store(bucket, store.name.slice("r2:".length)),
  damage: async (store, key, body) => {
    const at = `${store.name.slice("r2:".length)}/${key}`;
    const found = await bucket.get(at);
    const { contentType = "" } = found?.httpMetadata ?? {};
    await bucket.put(at, body, { httpMetadata: { contentType }, customMetadata: found?.customMetadata ?? {} });
  },
});

test("a failing R2 is unavailable, not absent", async () => {
  const broken = new R2Store({ ...bucket, get: async () => Promise.reject<null>(new Error("internal error (10001)")) });
  await expect(broken.get("k")).rejects.toThrow(StoreUnavailable);
  await expect(broken.put("k", sample("body"))).rejects.toThrow(StoreUnavailable);
});
