/**
 * Saved settlement history that the projections have lost is read back from the store, once in a process for each
 * answer that misses it: it outlives a lost state directory (docs/spec/publishing.md#lost-state).
 */

import type { ObjectStore } from "../../src/object-store/object-store.ts";
import { readIfWhole } from "../../src/object-store/read-or-damaged.ts";
import type { Publication } from "../../src/resources/publication.ts";
import type { Snapshots } from "../../src/resources/snapshot.ts";

/** One for each session of a publisher. */
export class SavedBodyRecall {
  readonly #store: ObjectStore;
  readonly #asked = new Set<string>();

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  /** Asks the store for nothing that is not missing. */
  async ask(publications: readonly Publication[], sources: Snapshots): Promise<void> {
    const unasked = publications.filter(({ key, savedBody }) => savedBody !== undefined && !this.#asked.has(key));
    if (unasked.length === 0) return;
    const missing = sources.snapshot((snapshot) =>
      unasked.filter(({ savedBody }) => savedBody?.isMissing(snapshot) === true),
    );
    for (const { key, savedBody } of missing) {
      const found = await readIfWhole(this.#store, key);
      this.#asked.add(key);
      if (found === undefined) continue;
      const body = Buffer.from(found.body).toString("utf8");
      sources.snapshot((snapshot) => savedBody?.save(snapshot, body));
    }
  }
}
