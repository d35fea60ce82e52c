import type { GetOptions, StoredObject } from "../object-store/object-store.ts";
import type { MaybePromise } from "./maybe-promise.ts";

/** Everything that the shim may do with a store. */
export interface StoreReader {
  /** As `ObjectStore.get`. It returns or throws at once if the store need not be waited for. */
  get(key: string, options?: GetOptions): MaybePromise<StoredObject | undefined>;
}

/** How long an object may be served from memory (ms). */
const TTL_MS = 1000;

/** A miss is kept only to order reads; it is never served. */
interface Kept {
  readonly object: StoredObject | undefined;
  /** The number of its read; the next one begun has the next number. */
  readonly read: number;
  readonly until: number;
}

/**
 * The few objects that requests for unknown installations would otherwise read again and again: the index and the template.
 * Values are kept, not promises: on workerd requests must not share a promise. A miss is not kept: the first publication is
 * seen at once.
 */
export class Recent {
  readonly #store: StoreReader;
  readonly #monotonic: () => number;
  readonly #kept = new Map<string, Kept>();
  /** Reads begun. */
  #reads = 0;

  constructor(store: StoreReader, monotonic: () => number) {
    this.#store = store;
    this.#monotonic = monotonic;
  }

  async get(key: string): Promise<StoredObject | undefined> {
    const kept = this.#kept.get(key);
    const now = this.#monotonic();
    if (kept?.object !== undefined && now < kept.until) return kept.object;
    this.#reads += 1;
    const read = this.#reads;
    const object = await this.#store.get(key);
    // A slow read may have begun before a put that a quick one has seen since. An older read never replaces a newer one.
    const meanwhile = this.#kept.get(key);
    if (meanwhile !== undefined && meanwhile.read > read) return meanwhile.object;
    this.#kept.set(key, { object, read, until: object === undefined ? now : now + TTL_MS });
    return object;
  }
}
