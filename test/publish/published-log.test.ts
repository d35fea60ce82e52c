import { expect, test } from "vitest";
import { readEntries } from "../../publish/published-log.ts";
import { PRIVATE_LOGS } from "../../src/http/keys.ts";
import { packBundle } from "../../src/log/private-bundle.ts";
import { encodeBundle } from "../../src/log/tiles.ts";
import { encodeWriterMetadata } from "../../src/object-store/stored-response.ts";
import { MemoryStore } from "../support/memory-store.ts";

const [FIRST, SECOND] = ["private/log/tile/entries/000", "private/log/tile/entries/001"];

test("entries are read in order, without those beyond the checkpoint", async () => {
  const store = new MemoryStore();
  await put(store, FIRST, bundle(0, 256), 256);
  await put(store, SECOND, bundle(256, 260), 260);
  expect(await textsOf(store, 258)).toEqual(Array.from({ length: 258 }, (_, index) => `entry ${index} ü`));
});

test.each<[string, (store: MemoryStore) => unknown, string]>([
  ["is missing", (store) => store.delete(SECOND), "is missing"],
  ["is damaged", (store) => store.damage(SECOND), "is no bundle of 3 entries"],
  ["has too few entries", (store) => put(store, SECOND, bundle(256, 258), 258), "is no bundle of 3 entries"],
  ["ends within an entry", (store) => put(store, SECOND, bundle(256, 259).subarray(0, -1), 259), "is no bundle of 3"],
  ["is no gzip", (store) => putBody(store, SECOND, Buffer.from("{}"), 259), "is no bundle of 3 entries"],
  ["is no bundle", (store) => put(store, SECOND, Buffer.from("{}"), 259), "is no bundle of 3 entries"],
  ["is larger than a bundle", (store) => put(store, SECOND, new Uint8Array(20_000_000), 259), "is no bundle of 3"],
  [
    "has bytes that are not UTF-8",
    (store) => put(store, SECOND, encodeBundle([1, 2, 3].map(() => Uint8Array.of(255))), 259),
    "is no bundle of 3 entries",
  ],
])("a bundle that %s is log_damaged, and no entry is left out", async (_, damage, says) => {
  const store = new MemoryStore();
  await put(store, FIRST, bundle(0, 256), 256);
  await put(store, SECOND, bundle(256, 259), 259);
  await damage(store);
  await expect(textsOf(store, 259)).rejects.toMatchObject({
    code: "log_damaged",
    message: expect.stringContaining(`${SECOND} ${says}`),
  });
});

function bundle(from: number, to: number): Uint8Array {
  return encodeBundle(Array.from({ length: to - from }, (_, at) => Buffer.from(`entry ${from + at} ü`)));
}

function put(store: MemoryStore, key: string, content: Uint8Array, size: number) {
  return putBody(store, key, packBundle(content), size);
}

function putBody(store: MemoryStore, key: string, body: Uint8Array, size: number) {
  const metadata = encodeWriterMetadata({ epoch: 1, writer: "w", sourceVersion: { at: 0, log: 1, size } });
  return store.put(key, { body, contentType: "application/gzip", metadata });
}

async function textsOf(store: MemoryStore, size: number): Promise<string[]> {
  const texts: string[] = [];
  const log = { number: 1, place: PRIVATE_LOGS, size, root: "" } as const;
  for await (const text of readEntries(store, log)) texts.push(text);
  return texts;
}
