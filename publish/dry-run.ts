/** A cycle that puts nothing: the store is read, what would be put is judged and forgotten. */
import { INSTALLATIONS_KEY } from "../src/http/keys.ts";
import { type ObjectStore, type PutCondition, StoreConflict } from "../src/object-store/object-store.ts";
import { runCycle } from "./cycle.ts";
import { MovedInstallations } from "./due/moved-installations.ts";
import { Known } from "./known.ts";
import { learn } from "./learn.ts";
import type { PublisherOptions } from "./publisher.ts";
import type { Fence } from "./put.ts";
import type { CycleReport } from "./report.ts";
import { newSession, startHistory } from "./session.ts";

const UNFENCED: Fence = {
  epoch: Number.MAX_SAFE_INTEGER,
  writer: "dry-run",
  beforePut: async () => {},
  raiseAbove: async () => {},
};

/** Neither lease nor state directory is touched, so it may run beside a publisher. `at` in epoch ms. */
export async function dryRun(options: Omit<PublisherOptions, "known">, at: number): Promise<CycleReport> {
  const { reader, concurrency, newHistories } = options;
  const known = Known.inMemory();
  const store = readOnly(options.store);
  const blockHash = (number: bigint) => reader.blockHash(number, at);
  const target = { store, fence: UNFENCED, known, concurrency, blockHash };
  await learn([{ is: "index", key: INSTALLATIONS_KEY }], target);
  const session = newSession({ ...options, known, minimumPutInterval: 0 }, new MovedInstallations());
  for (const id of newHistories) await startHistory(id, session, target);
  return runCycle({ at, session, sources: reader.begin(at), target, rows: [] });
}

/** Conditions are judged as the store would, so that the plan meets what is published. */
function readOnly(store: ObjectStore): ObjectStore {
  return {
    name: store.name,
    get: (key, options) => store.get(key, options),
    list: (prefix) => store.list(prefix),
    async put(key: string, _object: unknown, condition?: PutCondition) {
      const tag = (await store.get(key, { fresh: true }))?.tag;
      const holds = condition === undefined || ("ifAbsent" in condition ? tag === undefined : tag === condition.ifTag);
      if (!holds) throw new StoreConflict(key);
      return tag ?? "dry-run";
    },
    async delete() {},
  };
}
