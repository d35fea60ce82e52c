/** Requests share reads, and a late read never replaces a newer one. */
import { expect, test } from "vitest";
import { Recent } from "../../src/shim/context.ts";
import { tickStore } from "../../src/shim/node/store-reader.ts";
import { MemoryStore } from "../support/memory-store.ts";
import { putText } from "../support/publish-response.ts";

/** A store whose reads finish when the test says, with the object as of their start. */
async function slowStore() {
  const store = new MemoryStore();
  const releases: (() => void)[] = [];
  const get = async (key: string) => {
    const object = await store.get(key);
    await new Promise<void>((resolve) => releases.push(resolve));
    return object;
  };
  const nextTick = () => new Promise((resolve) => setImmediate(resolve));
  return { store, get, release: (read: number) => releases[read]?.(), nextTick };
}

const text = (object: { readonly body: Uint8Array } | undefined) => new TextDecoder().decode(object?.body);

test("a slow read does not replace the result of a later one", async () => {
  const { store, get, release, nextTick } = await slowStore();
  const recent = new Recent({ get }, () => 0);
  await putText(store, "index", "older");
  const slow = recent.get("index");
  await nextTick();
  await putText(store, "index", "newer");
  const quick = recent.get("index");
  await nextTick();
  release(1);
  expect(text(await quick)).toBe("newer");
  release(0);
  expect(text(await slow)).toBe("newer");
  expect(text(await recent.get("index"))).toBe("newer");
});

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test("requests of one tick share a read, the next tick reads again, and a fresh read is not shared", async () => {
  const store = new MemoryStore();
  await putText(store, "a", "1");
  const shared = tickStore(store);
  await nextTurn();
  const [first, second] = await Promise.all([shared.get("a"), shared.get("a"), shared.get("b")]);
  expect(second).toBe(first);
  expect(store.gets).toEqual(["a", "b"]);
  await shared.get("a", { fresh: true });
  expect(store.gets).toEqual(["a", "b", "a?fresh"]);
  await putText(store, "a", "2");
  await nextTurn();
  expect((await shared.get("a"))?.body).toEqual(new TextEncoder().encode("2"));
});

test("a failing read fails for all who share it, and for no later request", async () => {
  const store = new MemoryStore();
  const shared = tickStore(store);
  store.fail();
  const results = await Promise.allSettled([shared.get("a"), shared.get("a")]);
  expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  store.failure = undefined;
  await nextTurn();
  expect(await shared.get("a")).toBeUndefined();
});
