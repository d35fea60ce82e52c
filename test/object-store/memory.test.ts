import { expect, test } from "vitest";
import { MemoryStore } from "../../src/object-store/memory.ts";
import { conforms } from "./conformance.ts";
import { sample } from "./samples.ts";

conforms("the memory store", { open: async () => new MemoryStore(), again: async (store) => store });

test("what was put is not changed by changing the caller's bytes", async () => {
  const store = new MemoryStore();
  const object = sample("before");
  await store.put("k", object);
  object.body.fill(0);
  expect(new TextDecoder().decode((await store.get("k"))?.body)).toBe("before");
  expect(store.calls).toEqual([
    { operation: "put", key: "k" },
    { operation: "get", key: "k" },
  ]);
});
