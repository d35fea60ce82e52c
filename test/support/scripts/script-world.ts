/** The world of the HTTP scripts, with control over its clock and store. It also runs outside Node. */
import type { ObjectStore, StoreObject } from "../../../src/object-store/object-store.ts";
import { type ShimContext, type StoreReader, shimContext } from "../../../src/shim/context.ts";
import { MemoryStore } from "../memory-store.ts";
import { putWorld } from "../world.ts";
import type { ScriptControl, ScriptTarget } from "./run-http-script.ts";

const WORLD_AT = Date.parse("2026-11-20T10:00:00.000Z");

export interface ScriptWorld {
  readonly context: ShimContext;
  readonly control: ScriptControl;
  object: ScriptTarget["object"];
}

/** The world's store, which can be made to fail. */
export interface WorldStore {
  readonly writer: ObjectStore;
  /** The store of the shim. */
  readonly reader: StoreReader;
  fail(): void;
  recover(): void;
}

export async function scriptWorld({ writer, reader, fail, recover }: WorldStore = inMemory()): Promise<ScriptWorld> {
  await putWorld(writer, WORLD_AT);
  const deleted = new Map<string, StoreObject>();
  let now = WORLD_AT;
  // Advances by a second per read, so that the context's one-second cache has always expired.
  let monotonic = 0;
  const context = shimContext({ store: reader, now: () => now, monotonic: () => (monotonic += 1000) });
  return {
    context,
    object: async (key) => writer.get(key),
    control: {
      setClock: (msAfterWorld) => {
        now = WORLD_AT + msAfterWorld;
      },
      deleteObject: async (key) => {
        const object = await writer.get(key);
        if (object !== undefined) deleted.set(key, object);
        await writer.delete(key);
      },
      failStore: () => fail(),
      restore: async () => {
        now = WORLD_AT;
        recover();
        for (const [key, object] of deleted) await writer.put(key, object);
        deleted.clear();
      },
    },
  };
}

function inMemory(): WorldStore {
  const store = new MemoryStore();
  return {
    writer: store,
    reader: store,
    fail: () => store.fail(),
    recover: () => {
      store.failure = undefined;
    },
  };
}
