/** A cycle that writes nothing: it reads the store and reports what it would put. */
import { type ObjectStore, type PutCondition, StoreConflict } from "../src/object-store/object-store.ts";
import { runCycle } from "./cycle.ts";
import { DirtyInstallations } from "./dirty-installations.ts";
import { Known } from "./known.ts";
import { learn } from "./learn.ts";
import type { NewNames } from "./plan/histories.ts";
import { checkOwner } from "./prefix-owner.ts";
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

/** Uses neither the lease nor the state directory, so that it can run while a publisher runs. `at` in epoch ms. */
export async function dryRun(options: Omit<PublisherOptions, "known">, at: number): Promise<CycleReport> {
  await checkOwner(options);
  const { reader, concurrency, newHistories } = options;
  const known = Known.inMemory();
  const store = readOnly(options.store);
  const blockHash = (number: bigint) => reader.blockHash(number, at);
  const names: NewNames = new Map();
  const target = { at, store, fence: UNFENCED, known, names, concurrency, blockHash };
  await learn([{ is: "index" }], target);
  const session = newSession({ ...options, known, names, minimumPutInterval: 0 }, new DirtyInstallations());
  for (const id of newHistories) await startHistory(id, session, target);
  return runCycle({ at, session, sources: reader.begin(at), target, rows: [] });
}

/** A store that accepts no write, but checks the condition of each put, so that the report shows conflicts. */
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
