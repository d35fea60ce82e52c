/** A cycle that puts nothing: the store is read, what would be put is judged and forgotten. */
import { type ObjectStore, type PutCondition, StoreConflict } from "../src/object-store/object-store.ts";
import { ActivityRecall } from "./activity/recall.ts";
import { BuildSchedule } from "./answers/build-schedule.ts";
import { SavedBodyRecall } from "./answers/recall-saved.ts";
import { BehindList } from "./asof/behind-list.ts";
import { runCycle } from "./cycle/cycle.ts";
import { MovedInstallations } from "./due/moved-installations.ts";
import type { Fence } from "./lease/fenced-put.ts";
import { Histories } from "./observations/histories.ts";
import { TilePace } from "./observations/tile-pace.ts";
import type { PublisherOptions } from "./publisher.ts";
import type { CycleReport } from "./puts/report.ts";
import { Published } from "./state/published.ts";

const UNFENCED: Fence = {
  epoch: Number.MAX_SAFE_INTEGER,
  writer: "dry-run",
  beforePut: async () => {},
  raiseAbove: async () => {},
};

/** Neither lease nor state directory is touched, so it may run beside a publisher. `at` in epoch ms. */
export async function dryRun(options: Omit<PublisherOptions, "published">, at: number): Promise<CycleReport> {
  const { reader, publications, force, concurrency, newHistories } = options;
  const published = Published.inMemory();
  const store = readOnly(options.store);
  const histories = await Histories.load(store, published, reader.installationId);
  for (const id of newHistories) await histories.startNew(id);
  return runCycle({
    at,
    session: {
      published,
      publications,
      force,
      histories,
      moved: new MovedInstallations(),
      historyOf: (id) => histories.progress(id).history,
      publishedCores: new Map(),
      coresAsked: new Set(),
      behind: new BehindList(),
      selected: (resource) => options.selected(resource),
      schedule: new BuildSchedule(published, 0),
      tilePace: new TilePace(0),
    },
    sources: reader.begin(at),
    target: { store, fence: UNFENCED, concurrency },
    recall: { activity: new ActivityRecall(store, published), savedBodies: new SavedBodyRecall(store) },
  });
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
