import { afterAll, beforeAll, expect, test } from "vitest";
import { StoreConflict } from "../../../src/object-store/object-store.ts";
import { S3_PROVIDERS } from "../../../src/object-store/s3/providers.ts";
import { Failure } from "../../../src/values/failure.ts";
import { conforms, keysOf } from "../../object-store/conformance.ts";
import { plain, sample } from "../../object-store/samples.ts";
import type { S3Server } from "../radosgw.ts";
import { startSwift } from "../swift.ts";
import { clientSettings, damageObject, makeBucket, s3Store, sameFolder } from "./s3-store.ts";

const REGION = "us-east-1";
const PRESET = { singleWriter: true, region: REGION, absentAfter: S3_PROVIDERS.swift.absentAfter };
let server: S3Server;
beforeAll(async () => {
  server = await startSwift();
  await makeBucket(server, REGION);
});
afterAll(() => server.stop());

const notAtomic = "Swift gives 501 to conditions: the store checks them itself, for a single writer";
conforms("Swift", {
  open: async () => s3Store(server, PRESET),
  again: async (store) => sameFolder(server, store, PRESET),
  damage: (store, key, body) => damageObject(clientSettings(server, REGION), store, key, body),
  deviations: {
    "2 kB of metadata are stored, and more are rejected":
      "one value may have 256 bytes until the cluster's swift.conf raises max_meta_value_length",
    "exactly one of several concurrent ifAbsent puts succeeds": notAtomic,
    "exactly one of several concurrent ifTag puts succeeds": notAtomic,
  },
});

test("a store that ignores put conditions is rejected without --single-writer, and nothing is put", async () => {
  const store = s3Store(server, { region: REGION });
  await expect(store.probe()).rejects.toMatchObject({ code: "conditions_unsupported", exitCode: 2 });
  await expect(store.put("k", sample("body"), { ifAbsent: true })).rejects.toThrow(Failure);
  expect(await keysOf(store, "")).toEqual([]);
});

test("with a single writer the conditions are checked before the put", async () => {
  const store = s3Store(server, { singleWriter: true, region: REGION });
  await store.probe();
  await store.put("k", sample("first"), { ifAbsent: true });
  await expect(store.put("k", sample("second"), { ifAbsent: true })).rejects.toThrow(StoreConflict);
  await expect(store.put("k", sample("second"), { ifTag: "0" })).rejects.toThrow(StoreConflict);
  expect(plain(await store.get("k"))?.body).toBe("first");
});
