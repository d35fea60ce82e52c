/**
 * What the projections have lost is read back from the store, once in a process for each answer that lacks it: saved
 * settlement history outlives a lost state directory (design 1, "What is stored", 2).
 */
import type { ObjectStore } from "../../src/object-store/object-store.ts";
import type { Sources } from "../sources/sources.ts";
import type { Publication } from "./publication.ts";

export interface Recalling {
  readonly publications: readonly Publication[];
  readonly store: ObjectStore;
  read<T>(use: (sources: Sources) => T): T;
}

const asked = new WeakMap<ObjectStore, Set<string>>();

/** Asks the store for nothing that is not lacking. */
export async function recallStanding({ publications, store, read }: Recalling): Promise<void> {
  const known = asked.get(store) ?? new Set();
  asked.set(store, known);
  const missing = publications.filter(({ key, lacks }) => lacks !== undefined && !known.has(key));
  if (missing.length === 0) return;
  const lacking = read((sources) => missing.filter(({ lacks }) => lacks?.(sources) === true));
  for (const publication of lacking) {
    const found = await store.get(publication.key);
    known.add(publication.key);
    if (found === undefined) continue;
    const body = Buffer.from(found.body).toString("utf8");
    read((sources) => publication.stands?.(sources, body));
  }
}
