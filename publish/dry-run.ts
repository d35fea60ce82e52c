/** A cycle that puts nothing: the store is read, what would be put is judged and forgotten. */
import { type ObjectStore, type PutCondition, StoreConflict } from "../src/object-store/object-store.ts";
import { FeedRecall } from "./activity/recall.ts";
import { Answers } from "./answers/answers.ts";
import { runCycle } from "./cycle.ts";
import type { Fence } from "./lease/fenced-put.ts";
import { Histories } from "./observations/histories.ts";
import { TilePace } from "./observations/pace.ts";
import type { PublisherOptions } from "./publisher.ts";
import type { CycleReport } from "./report.ts";
import { Published } from "./state/published.ts";

const UNFENCED: Fence = { epoch: Number.MAX_SAFE_INTEGER, writer: "dry-run", beforePut: async () => {} };

/** Neither lease nor state directory is touched, so it may run beside a publisher. */
export async function dryRun(options: Omit<PublisherOptions, "published">, at: number): Promise<CycleReport> {
  const published = Published.inMemory();
  const store = readOnly(options.store);
  const histories = await Histories.load(store, published, options.reader.installationId);
  for (const id of options.newHistories) histories.startNew(id);
  const answers = new Answers(published, options);
  return runCycle(
    {
      ...options,
      selected: (resource) => options.selected(resource),
      store,
      fence: UNFENCED,
      answers,
      histories,
      feeds: new FeedRecall(store, published),
      tilePace: new TilePace(0),
      read: (use) => options.reader.read(at, use),
    },
    at,
  );
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
