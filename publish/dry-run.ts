/** A cycle that writes nothing: it reads the store and reports what it would put. */
import { type ObjectStore, type PutCondition, StoreConflict } from "../src/object-store/object-store.ts";
import { dueAtStart } from "./checkpoint.ts";
import { runCycle } from "./cycle.ts";
import { Turns } from "./each-limited.ts";
import { Known } from "./known.ts";
import { checkOwner } from "./prefix-owner.ts";
import type { PublisherOptions } from "./publisher.ts";
import type { LeaseGuard } from "./put.ts";
import type { CycleReport } from "./report.ts";

const UNFENCED: LeaseGuard = {
  epoch: Number.MAX_SAFE_INTEGER,
  writer: "dry-run",
  beforePut: async () => {},
  raiseAbove: async () => {},
};

/** Uses neither the lease nor the state directory, so that it can run while a publisher runs. `at` in epoch ms. */
export async function dryRun(options: Omit<PublisherOptions, "known">, at: number): Promise<CycleReport> {
  await checkOwner(options);
  const { reader, site } = options;
  const beginning = {
    ...options,
    at,
    known: Known.inMemory(),
    store: readOnly(options.store),
    configured: reader.installationId,
    checkpoint: null,
    minimumPutInterval: 0,
  };
  const due = await dueAtStart(beginning);
  const sources = reader.begin(at);
  const rest = { fence: UNFENCED, logTurns: new Turns(), hasSite: site !== undefined, rows: [] };
  return runCycle({ ...beginning, ...rest, due, sources });
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
