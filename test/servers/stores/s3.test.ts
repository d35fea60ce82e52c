import { afterAll, beforeAll, expect, test } from "vitest";
import { conforms, keysOf } from "../../object-store/conformance.ts";
import { type S3Server, startRadosgw } from "../radosgw.ts";
import { clientSettings, damageObject, makeBucket, s3Store, sameFolder } from "./s3-store.ts";

let server: S3Server;
beforeAll(async () => {
  server = await startRadosgw();
  await makeBucket(server);
});
afterAll(() => server.stop());

conforms("radosgw", {
  open: async () => s3Store(server),
  again: async (store) => sameFolder(server, store),
  damage: (store, key, body) => damageObject(clientSettings(server), store, key, body),
});

test("the start-up probe finds that radosgw judges conditions, and leaves nothing", async () => {
  const store = s3Store(server);
  await store.probe();
  expect(await keysOf(store, "")).toEqual([]);
});
