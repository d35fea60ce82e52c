/** The interface to storage: its methods, objects and errors. `open-store.ts` opens the store that a setting names. */
import type { FailureOptions } from "../values/failure.ts";
import { UnknownFormat } from "../values/format.ts";
import { errorMessage } from "../values/unknown.ts";
import type { ClockBounds } from "./clock-offset.ts";

/**
 * Every store guarantees the following, which `test/object-store/conformance.ts` checks:
 * - A put is atomic: a reader sees body and metadata together, either before or after it.
 * - A changed or truncated object is reported as damaged and never returned (seal.ts).
 * - A get that starts after a put has returned sees that put or a later one.
 * - A condition is checked and the put done atomically, except on an S3 server without conditions (`singleWriter`).
 * - A call retries by itself and ends within its time limit. It reports "absent" only for a missing object.
 */
export interface ObjectStore {
  /** For messages: the directory or `s3://bucket/prefix`, without secrets. */
  readonly name: string;

  /**
   * Returns `undefined` if there is no such object. Throws `StoreDamaged` if it is not what was put, otherwise
   * `StoreUnavailable`. Do not change the result: a store may return the same object again while it is unchanged, and
   * callers may use it as the key of a WeakMap.
   */
  get(key: string, options?: GetOptions): Promise<StoredObject | undefined>;

  /** A synchronous `get`, for a store with fast reads. */
  getNow?(key: string, options?: GetOptions): StoredObject | undefined;

  /**
   * Throws `StoreConflict` if the condition does not hold, `StoreFull` if there is no space, `StoreUnavailable` if the
   * outcome is unknown.
   */
  put(key: string, object: StoreObject, condition?: PutCondition): Promise<StoreTag>;

  /** Deleting a missing object succeeds. */
  delete(key: string): Promise<void>;

  /**
   * Yields the keys with a prefix, ascending by UTF-8 bytes. It is only for operators' commands and for a publisher
   * without its state; no other cycle lists keys.
   */
  list(prefix: string): AsyncIterable<string>;
}

/**
 * A put or deletion returns within this time (ms). In a directory it changes nothing later. On S3 a request whose
 * response was lost may still be done later, so the publisher doubts its key (docs/spec/publishing.md#head).
 */
export const PUT_LIMIT_MS = 4_000;

/** Time limit of a store's calls (ms). The rest of `PUT_LIMIT_MS` is for timers that fire late. */
export const STORE_LIMIT_MS = PUT_LIMIT_MS - 500;

/** For stores with a clock, against which publisher and shim measure theirs (docs/spec/publishing.md#clocks). */
export interface StoreClock {
  /** Returns how far `now` (ms of any clock) is ahead of the store's clock. Throws `StoreUnavailable`. */
  measureClock(now: () => number): Promise<ClockBounds>;

  /** Calls `onBounds` with the bounds from every later response, without extra requests. */
  watchClock(now: () => number, onBounds: (bounds: ClockBounds) => void): void;
}

export function hasClock(store: ObjectStore): store is ObjectStore & StoreClock {
  return "measureClock" in store;
}

export interface GetOptions {
  /** Bypasses the store's caches. */
  readonly fresh?: boolean;
  /**
   * An earlier result. It is returned again if the store still has its tag, so that its body is not sent. Only for
   * objects whose metadata a reader does not need, because an S3 tag hashes the body alone.
   */
  readonly unless?: StoredObject | undefined;
}

export interface StoreObject {
  readonly body: Uint8Array;
  readonly contentType: string;
  /** Names `[a-z0-9-]`, values non-empty printable ASCII, together at most `MAX_METADATA_BYTES` (check-object.ts). */
  readonly metadata: Readonly<Record<string, string>>;
}

export interface StoredObject extends StoreObject {
  readonly tag: StoreTag;
}

/** The store's version mark, for conditions only. It is neither a validator nor a sign of change. */
export type StoreTag = string;

export type PutCondition = ({ readonly ifAbsent: true } | { readonly ifTag: StoreTag }) & {
  /** Called if the request is sent again, because the first one had no response and may still be done later. */
  readonly repeated?: () => void;
};

/** The condition of a put did not hold. */
export class StoreConflict extends Error {
  override readonly name = "StoreConflict";
}

/** The store did not respond, or not usefully. A put may or may not have been done. */
export class StoreUnavailable extends Error {
  override readonly name: string = "StoreUnavailable";
  /** The stable code for reports and exit messages. */
  readonly code: string = "store_unavailable";
  /** The operator's next step, if known. It names no flag and no setting. */
  readonly hint: string | undefined;
  /** True if a retry cannot help, such as after missing or wrong credentials or for a missing bucket. */
  readonly isFinal: boolean;

  constructor(message: string, options: FailureOptions & { readonly isFinal?: boolean } = {}) {
    super(message, options);
    this.hint = options.hint;
    this.isFinal = options.isFinal ?? false;
  }
}

/** The store has no free space. The object under the key is unchanged. */
export class StoreFull extends StoreUnavailable {
  override readonly name = "StoreFull";
  override readonly code = "disk_full";
}

/**
 * The object under a key is not what was put: truncated, empty, changed, or another program's. Readers get the response
 * of an unavailable store. A writer may overwrite it with `{ ifTag: error.tag }`.
 */
export class StoreDamaged extends StoreUnavailable {
  override readonly name = "StoreDamaged";
  override readonly code = "store_damaged";
  readonly key: string;
  readonly tag: StoreTag;

  constructor(key: string, tag: StoreTag, because: string, options?: ErrorOptions) {
    super(`${key} is damaged: ${because}`, options);
    this.key = key;
    this.tag = tag;
  }
}

/** Returns the result of `decode`. Throws its `UnknownFormat`, and `StoreDamaged` for its other errors. */
export function decodedAs<T>(key: string, object: StoredObject, decode: (object: StoredObject) => T): T {
  try {
    return decode(object);
  } catch (cause) {
    if (cause instanceof UnknownFormat) throw cause;
    throw new StoreDamaged(key, object.tag, errorMessage(cause), { cause });
  }
}

type Reader = Pick<ObjectStore, "get">;

/** Returns the object, or its `StoreDamaged`. Bypasses every cache. Throws `StoreUnavailable`. */
export async function readOrDamaged(store: Reader, key: string): Promise<StoredObject | StoreDamaged | undefined> {
  try {
    return await store.get(key, { fresh: true });
  } catch (error) {
    if (error instanceof StoreDamaged) return error;
    throw error;
  }
}

/** Like `readOrDamaged`, but returns undefined for a damaged object. */
export async function readIfWhole(store: Reader, key: string): Promise<StoredObject | undefined> {
  const found = await readOrDamaged(store, key);
  return found instanceof StoreDamaged ? undefined : found;
}
