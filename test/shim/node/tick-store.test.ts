import { expect, test } from "vitest";
import { tickStore } from "../../../src/shim/node/tick-store.ts";
import { MemoryStore } from "../../support/memory-store.ts";
import { putText } from "../../support/publish-answer.ts";

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test("requests of one turn share a read, the next turn reads again, a fresh read is nobody's but its own", async () => {
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

test("a read that fails fails for all who share it, and for nobody after", async () => {
  const store = new MemoryStore();
  const shared = tickStore(store);
  store.fail();
  const results = await Promise.allSettled([shared.get("a"), shared.get("a")]);
  expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  store.failure = undefined;
  await nextTurn();
  expect(await shared.get("a")).toBeUndefined();
});
