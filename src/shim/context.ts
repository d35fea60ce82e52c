/** The dependencies of the shim's core: a store, two clocks, and a second's memory. */
import type { FileRow, Route, Row } from "../http/route.ts";
import type { GetOptions, StoredObject, StoreUnavailable } from "../object-store/object-store.ts";
import type { FullResponse } from "./full-response.ts";

/** The header that caches obey: CDN-Cache-Control (RFC 9213), or Cache-Control in place of the client's. */
export type LifetimeHeader = "cdn-cache-control" | "cache-control";

export interface ShimDependencies {
  readonly store: StoreReader;
  /** The instant (epoch ms) as of which responses are given; it may be fixed. */
  now(): number;
  /** A monotonic clock (ms), which does not depend on `now`. */
  monotonic(): number;
  /** The header with the lifetime for caches (docs/spec/publishing.md#caches); absent if no cache is in front. */
  readonly lifetimeHeader?: LifetimeHeader;
  /** True if a response may come from objects that the store no longer confirms. No cache may keep such a response. */
  storeFails?(): boolean;
  /** Called with each store failure that became a 503. `again` repeats what failed; it throws, or rejects, as before. */
  report?(error: StoreUnavailable, again: () => MaybePromise<unknown>): void;
  /** Called for each response with its row (undefined without one) and its status. */
  onResponse?(row: Row | undefined, status: number): void;
}

/** A response in the coding that a reader accepts, with its headers. */
type Encode = (full: FullResponse, acceptEncoding: string | undefined) => MaybePromise<FullResponse>;

export interface ShimContext extends ShimDependencies {
  readonly recent: Recent;
  /** Absent if the runtime compresses by itself. */
  readonly encode?: Encode;
}

/** One context serves every request of a process (or isolate). */
export function shimContext(dependencies: ShimDependencies): ShimContext {
  return { ...dependencies, recent: new Recent(dependencies.store, () => dependencies.monotonic()) };
}

/** Everything that the shim may do with a store. */
export interface StoreReader {
  /** As `ObjectStore.get`. It returns or throws at once if the store need not be waited for. */
  get(key: string, options?: GetOptions): MaybePromise<StoredObject | undefined>;
}

/** How long an object may be served from memory (ms). */
const TTL_MS = 1000;

interface Kept {
  /** Undefined after a miss, which is kept only for its number. */
  readonly object: StoredObject | undefined;
  /** Counts reads in the order in which they began. */
  readonly read: number;
  readonly until: number;
}

/**
 * The few objects that requests for unknown installations would otherwise read again and again: the index and the
 * template. Values are kept, not promises: on workerd requests must not share a promise. A miss is never served from
 * memory: the first publication is seen at once.
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
    const object = await this.#store.get(key, kept?.object && { unless: kept.object });
    // A slow read may have begun before a put that a quick one has seen since. An older read never replaces a newer one.
    const meanwhile = this.#kept.get(key);
    if (meanwhile !== undefined && meanwhile.read > read) return meanwhile.object;
    this.#kept.set(key, { object, read, until: object === undefined ? now : now + TTL_MS });
    return object;
  }
}

/** A value, or a promise of it. A value in memory is served in its request's own tick. */
export type MaybePromise<T> = T | Promise<T>;

/** Calls `next` with a value, synchronously if the value is there; it then throws what `next` throws. */
export function andThen<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** A request that has found its route. */
export interface RouteRequest {
  readonly route: Route;
  /** Decoded and well formed; "" if the path has none. */
  readonly installationId: string;
  /** As it was written, without its `?`. */
  readonly query: string;
}

/** A request for a file. */
export interface FileRequest {
  readonly file: FileRow;
  readonly path: string;
}

/** `undefined` if nothing was ever published. Throws `StoreUnavailable`. */
export type Handler<Request> = (request: Request, context: ShimContext) => MaybePromise<FullResponse | undefined>;
