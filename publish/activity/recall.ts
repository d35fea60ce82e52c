/**
 * Looks up what is in the store of activity that is not remembered: the state directory was lost, or somebody else has
 * held the lease since. The next plan takes it over. Heads are read before any is put: afterwards they say no more how
 * it was cut. Only here a prefix is listed: tiles that no head names are known to nobody else.
 */

import type { Database } from "better-sqlite3";
import type { ObjectStore } from "../../src/object-store/object-store.ts";
import { readIfWhole } from "../../src/object-store/read-or-damaged.ts";
import {
  type FoundCut,
  foundActivity,
  NOTHING_FOUND,
  rememberFound,
} from "../../src/projections/activity/found-tiles.ts";
import { replaceGarbage } from "../../src/projections/activity/tile-garbage.ts";
import { readTiling } from "../../src/projections/activity/tiling.ts";
import {
  activityKey,
  activityTileKey,
  activityTilesPrefix,
  CATEGORIES,
  type Category,
  parseActivityTileKey,
} from "../../src/resources/activity/keys.ts";
import { decodeHead, decodeIndexTile, type Head } from "../../src/resources/activity/stored-feed.ts";
import type { Snapshot, Snapshots } from "../../src/resources/snapshot.ts";
import type { Published } from "../state/published.ts";

/** One for each session of a publisher. */
export class ActivityRecall {
  readonly #store: ObjectStore;
  readonly #published: Published;
  /** Whose projections have been completed. */
  readonly #asked = new WeakSet<Database>();

  constructor(store: ObjectStore, published: Published) {
    this.#store = store;
    this.#published = published;
  }

  /**
   * No request once it has asked, where everything is remembered, and without a chain: then there is none. Throws
   * the store's own errors.
   */
  async ask({ snapshot }: Snapshots): Promise<void> {
    for (const category of snapshot((state) => this.#unknown(state))) {
      const [names, cut] = [await listNames(this.#store, category), await findCut(this.#store, category)];
      snapshot(({ projections }) => {
        rememberFound(projections, category, { names, cut });
        // What was garbage may be named again by who held the lease since.
        replaceGarbage(projections, category, []);
      });
    }
    snapshot(({ projections, chain }) => chain.binding !== undefined && this.#asked.add(projections));
  }

  #unknown({ projections, chain }: Snapshot): Category[] {
    if (chain.binding === undefined || this.#asked.has(projections)) return [];
    return CATEGORIES.filter(
      (category) => this.#published.get(activityKey(category)) === undefined || !isKnown(projections, category),
    );
  }
}

/** For who publishes nothing: a category that is not remembered begins as if the store were empty. */
export function beginActivity(projections: Database): void {
  for (const category of CATEGORIES) {
    if (!isKnown(projections, category)) rememberFound(projections, category, NOTHING_FOUND);
  }
}

function isKnown(projections: Database, category: Category): boolean {
  return readTiling(projections, category) !== undefined || foundActivity(projections, category) !== undefined;
}

async function listNames(store: ObjectStore, category: Category): Promise<string[]> {
  const names: string[] = [];
  for await (const key of store.list(activityTilesPrefix(category))) {
    const name = parseActivityTileKey(key)?.name;
    if (name !== undefined) names.push(name);
  }
  return names;
}

async function findCut(store: ObjectStore, category: Category): Promise<FoundCut | null> {
  const text = await read(store, activityKey(category));
  const head = text === undefined ? undefined : decodeHead(text);
  return head === undefined ? null : cutOf(store, category, head);
}

async function cutOf(store: ObjectStore, category: Category, { recent, tiles, indexes }: Head): Promise<FoundCut> {
  const entries = [];
  for (const { name } of indexes) {
    const text = await read(store, activityTileKey(category, name));
    // One that is gone: what it named is cut anew.
    entries.push(text === undefined ? [] : decodeIndexTile(text));
  }
  return { oldestRecent: recent.at(-1)?.key ?? null, tiles, indexes: entries };
}

async function read(store: ObjectStore, key: string): Promise<string | undefined> {
  // A damaged one says nothing, as one that is gone, and is put anew.
  const object = await readIfWhole(store, key);
  return object === undefined ? undefined : new TextDecoder().decode(object.body);
}
