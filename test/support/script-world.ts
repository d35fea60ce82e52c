/** The world of the HTTP scripts in memory, with a hand on its clock and its store; runs where there is no Node too. */
import { type ShimContext, shimContext } from "../../src/shim/context.ts";
import { MemoryStore } from "./memory-store.ts";
import type { ScriptControl, ScriptTarget } from "./run-http-script.ts";
import { putWorld } from "./world.ts";

const WORLD_AT = Date.parse("2026-11-20T10:00:00.000Z");

export interface ScriptWorld {
  readonly context: ShimContext;
  readonly control: ScriptControl;
  object: ScriptTarget["object"];
}

export async function scriptWorld(): Promise<ScriptWorld> {
  const store = new MemoryStore();
  await putWorld(store, WORLD_AT);
  let now = WORLD_AT;
  // Each block sees the store as it is: what a context keeps for a second has always just expired.
  let monotonic = 0;
  const context = shimContext({ store, now: () => now, monotonic: () => (monotonic += 1000) });
  return {
    context,
    object: async (key) => store.get(key),
    control: {
      setClock: (msAfterWorld) => {
        now = WORLD_AT + msAfterWorld;
      },
      takeAway: (key) => store.delete(key),
      failStore: () => store.fail(),
      putBack: async () => {
        now = WORLD_AT;
        store.failure = undefined;
        await putWorld(store, WORLD_AT);
      },
    },
  };
}
