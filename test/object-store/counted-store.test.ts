import { expect, test } from "vitest";
import { countedStore } from "../../src/object-store/counted-store.ts";
import { hasClock, StoreUnavailable } from "../../src/object-store/object-store.ts";
import { MemoryStore } from "../support/memory-store.ts";
import { conforms, keysOf } from "./conformance.ts";
import { sample } from "./samples.ts";

const under = new WeakMap<object, MemoryStore>();
function counted(store: MemoryStore) {
  const wrapped = countedStore(store, () => {});
  under.set(wrapped, store);
  return wrapped;
}
const inner = (store: object) => under.get(store) as MemoryStore;

conforms("a counted store", {
  open: async () => counted(new MemoryStore(() => true)),
  again: async (store) => store,
  damage: async (store, key) => inner(store).damage(key),
});

test("each request is reported once, with its outcome", async () => {
  const store = new MemoryStore();
  const reported: string[] = [];
  const subject = countedStore(store, (operation, key, outcome) => reported.push(`${operation} ${key} ${outcome}`));
  await subject.get("a");
  await subject.put("a", sample("1"), { ifAbsent: true });
  await expect(subject.put("a", sample("2"), { ifAbsent: true })).rejects.toThrow();
  await subject.get("a");
  store.damage("a");
  await expect(subject.get("a")).rejects.toThrow();
  await subject.delete("a");
  expect(await keysOf(subject, "")).toEqual([]);
  store.failure = new StoreUnavailable("down");
  await expect(subject.get("b")).rejects.toThrow("down");
  await expect(subject.put("b", sample("1"))).rejects.toThrow("down");
  expect(reported).toEqual([
    "get a absent",
    "put a done",
    "put a conflict",
    "get a done",
    "get a damaged",
    "delete a done",
    "list  done",
    "get b failed",
    "put b failed",
  ]);
});

test("a counted store has its store's clock, or none", () => {
  const clock = { measureClock: async () => ({ least: 7, most: 7 }), watchClock: () => {} };
  expect(hasClock(countedStore(new MemoryStore(), () => {}))).toBe(false);
  expect(hasClock(countedStore(Object.assign(new MemoryStore(), clock), () => {}))).toBe(true);
});
