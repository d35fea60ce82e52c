import type { ObjectStore, StoredObject } from "../object-store/object-store.ts";

/** All that the shim may do with a store. */
export type StoreReader = Pick<ObjectStore, "get">;

/** How long an object may be answered from memory (ms). */
const KEPT_MS = 1000;

/**
 * The few objects that requests for unknown installations would otherwise read again and again: the index and the
 * template. Values are kept, not promises: on workerd a promise must not be shared between requests. Absence is not
 * kept: the first publication is seen at once.
 */
export class Recent {
  readonly #store: StoreReader;
  readonly #monotonic: () => number;
  readonly #kept = new Map<string, { readonly object: StoredObject; readonly until: number }>();

  constructor(store: StoreReader, monotonic: () => number) {
    this.#store = store;
    this.#monotonic = monotonic;
  }

  async get(key: string): Promise<StoredObject | undefined> {
    const kept = this.#kept.get(key);
    const now = this.#monotonic();
    if (kept !== undefined && now < kept.until) return kept.object;
    const object = await this.#store.get(key);
    if (object === undefined) this.#kept.delete(key);
    else this.#kept.set(key, { object, until: now + KEPT_MS });
    return object;
  }
}
