import { conforms } from "../object-store/conformance.ts";
import { MemoryStore } from "./memory-store.ts";

const stores = new Map<object, MemoryStore>();

conforms("the in-memory store", {
  open: async () => {
    const store = new MemoryStore(() => true);
    stores.set(store, store);
    return store;
  },
  again: async (store) => store,
  damage: async (store, key) => stores.get(store)?.damage(key),
});
