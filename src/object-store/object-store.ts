/** The port to storage: its methods, its objects and its errors. `open-store.ts` opens the store that a setting names. */
import type { ClockBounds } from "./clock-offset.ts";

/**
 * The one port to storage. Every store promises this, and `test/object-store/conformance.ts` checks it:
 * - A put is whole: a reader sees the object before it or the object after it, body and metadata together.
 * - A changed or cut object is reported as damaged, and never returned (seal.ts).
 * - A get after a put has returned sees that put or a later one.
 * - A condition is checked and the put done in one step (if `conditional` says that the store can).
 * - A call retries by itself and ends within its own time limit. It reports "absent" only for a missing object.
 */
export interface ObjectStore {
  /** For messages: the directory or `s3://bucket/prefix`, without secrets. */
  readonly name: string;

  /**
   * `undefined` if there is no such object. Throws `StoreDamaged` if it is not what was put, `StoreUnavailable` on everything
   * else. Do not change the result: while an object is the same, a store may return the same one again (callers may key a
   * WeakMap by it).
   */
  get(key: string, options?: GetOptions): Promise<StoredObject | undefined>;

  /** A synchronous `get`, for a store whose reads are too quick to wait for. */
  getNow?(key: string, options?: GetOptions): StoredObject | undefined;

  /**
   * Throws `StoreConflict` if the condition does not hold, `StoreFull` if there is no space, `StoreUnavailable` if the
   * outcome is unknown.
   */
  put(key: string, object: StoreObject, condition?: PutCondition): Promise<StoreTag>;

  /** Deleting a missing object succeeds. */
  delete(key: string): Promise<void>;

  /**
   * Keys with a prefix, ascending by UTF-8 bytes; for operators' commands, and for a publisher that has lost its state. No
   * other cycle lists anything.
   */
  list(prefix: string): AsyncIterable<string>;
}

/**
 * A put or a deletion has ended after this (ms), and changes nothing later. The proof that there is one writer counts on it
 * (docs/spec/publishing.md#one-writer).
 */
export const PUT_LIMIT_MS = 4_000;

/** The limit of every store's own calls (ms); the rest is for timers that fire late. */
export const STORE_LIMIT_MS = PUT_LIMIT_MS - 500;

/**
 * For a store with a clock of its own. Publisher and shim measure their clocks against it (docs/spec/publishing.md#clocks).
 */
export interface StoreClock {
  /** How far `now` (ms of any clock) is ahead of the store's, by a request. Throws `StoreUnavailable`. */
  measureClock(now: () => number): Promise<ClockBounds>;

  /** From now on every response is such a measurement, without another request, and `seen` is called with it. */
  watchClock(now: () => number, onBounds: (bounds: ClockBounds) => void): void;
}

export function hasClock(store: ObjectStore): store is ObjectStore & StoreClock {
  return "measureClock" in store;
}

export interface GetOptions {
  /** Bypasses every cache of the store's own. */
  readonly fresh?: boolean;
}

export interface StoreObject {
  readonly body: Uint8Array;
  readonly contentType: string;
  /** Names of `[a-z0-9-]`, values of printable ASCII, not empty; together at most `MAX_METADATA_BYTES` (check-object.ts). */
  readonly metadata: Readonly<Record<string, string>>;
}

export interface StoredObject extends StoreObject {
  readonly tag: StoreTag;
}

/** The store's own version mark, for conditions only: never a validator, never a sign of change. */
export type StoreTag = string;

export type PutCondition = ({ readonly ifAbsent: true } | { readonly ifTag: StoreTag }) & {
  /** Called if the request is sent again: the one before got no response, and may still be done at any later time. */
  readonly repeated?: () => void;
};

/** The condition of a put did not hold. */
export class StoreConflict extends Error {
  override readonly name = "StoreConflict";
}

/** The store did not respond, or not in a way that says anything. The put may or may not have happened. */
export class StoreUnavailable extends Error {
  override readonly name: string = "StoreUnavailable";
  /** The stable code of reports and exit messages. */
  readonly code: string = "store_unavailable";
  /** The operator's next step, if it is known. */
  readonly hint: string | undefined;
  /** The store has responded, and another try gives the same: wrong credentials, no such bucket. */
  readonly isFinal: boolean;

  constructor(
    message: string,
    options: ErrorOptions & { readonly hint?: string | undefined; readonly isFinal?: boolean } = {},
  ) {
    super(message, options);
    this.hint = options.hint;
    this.isFinal = options.isFinal ?? false;
  }
}

/** No space is free in the store. The object under the key is unchanged. */
export class StoreFull extends StoreUnavailable {
  override readonly name = "StoreFull";
  override readonly code = "disk_full";
}

/**
 * The object under a key is not what was put there: cut, emptied, changed, or another program's. Readers get the response of
 * an unavailable store. A writer may overwrite it with `{ ifTag: error.tag }`.
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

/** The result of `decode`. If it throws, the object is another program's: throws `StoreDamaged`. */
export function decodedAs<T>(key: string, object: StoredObject, decode: (object: StoredObject) => T): T {
  try {
    return decode(object);
  } catch (cause) {
    throw new StoreDamaged(key, object.tag, cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

type Reader = Pick<ObjectStore, "get">;

/** The object under a key, or its `StoreDamaged`. Reads past every cache. Throws `StoreUnavailable`. */
export async function readOrDamaged(store: Reader, key: string): Promise<StoredObject | StoreDamaged | undefined> {
  try {
    return await store.get(key, { fresh: true });
  } catch (error) {
    if (error instanceof StoreDamaged) return error;
    throw error;
  }
}

/** The same, but a damaged object counts as missing. */
export async function readIfWhole(store: Reader, key: string): Promise<StoredObject | undefined> {
  const found = await readOrDamaged(store, key);
  return found instanceof StoreDamaged ? undefined : found;
}
