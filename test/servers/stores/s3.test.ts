import { expect, test } from "vitest";
import { conforms, keysOf } from "../../object-store/conformance.ts";
import { useS3Server } from "../use-servers.ts";
import { clientSettings, damageObject, s3Store, sameFolder } from "./s3-store.ts";

const server = useS3Server();

conforms("radosgw", {
  open: async () => s3Store(server()),
  again: async (store) => sameFolder(server(), store),
  damage: (store, key, body) => damageObject(clientSettings(server()), store, key, body),
});

test("the start-up probe finds that radosgw evaluates conditions, and leaves nothing behind", async () => {
  const store = s3Store(server());
  await store.probe();
  expect(await keysOf(store, "")).toEqual([]);
});
