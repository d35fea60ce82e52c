/** The R2 store over workerd's R2, through the same binding as in a Worker. */
import { Miniflare } from "miniflare";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sample } from "../../object-store/samples.ts";
import { WorkerBucket } from "../r2-bucket.ts";

let miniflare: Miniflare;
let store: WorkerBucket;
beforeAll(async () => {
  miniflare = new Miniflare({ modules: true, script: "export default {}", r2Buckets: ["STORE"], host: "127.0.0.1" });
  store = await WorkerBucket.of(miniflare, "folder");
});
afterAll(() => miniflare.dispose());

test.each(["k", "v1/public/installations/~Wheel:1/telemetry", "private/%2F +é"])(
  "an object %s is read",
  async (key) => {
    expect(await store.get(key)).toBeUndefined();
    const object = sample("body", { status: "200", a: "= &" });
    await store.put(key, object);
    expect(await store.get(key)).toEqual({ ...object, tag: expect.any(String) });
    await store.put(key, sample("other"));
    expect(new TextDecoder().decode((await store.get(key))?.body)).toBe("other");
  },
);
