import type { ClockBounds } from "./clock-offset.ts";

/**
 * The one port to storage. What every store promises, and `test/object-store/conformance.ts` checks:
 * - a put is whole: a reader sees the object before it or the object after it, body and metadata together;
 * - an object that is no longer what was put is told as damaged, and never given (seal.ts);
 * - a get after a put has returned sees that put or a later one;
 * - a condition is judged and the put done in one step (where `conditional` says that the store can);
 * - a call retries what is worth retrying by itself, and ends within its own time limit; it never answers "absent"
 *   for anything but absence.
 */
export interface ObjectStore {
  /** For messages: the directory or `s3://bucket/prefix`, without secrets. */
  readonly name: string;

  /**
   * `undefined` where no such object is. Throws `StoreDamaged` where it is not what was put, `StoreUnavailable` on
   * everything else. What it gives is not to be
   * changed: while an object is the same, a store may give the same one again (callers may key a WeakMap by it).
   */
  get(key: string, options?: GetOptions): Promise<StoredObject | undefined>;

  /** `get` of a store whose reads take too little time to be waited for: what it gives or throws, it does at once. */
  getNow?(key: string, options?: GetOptions): StoredObject | undefined;

  /**
   * Throws `StoreConflict` where the condition does not hold, `StoreFull` where there is no space, `StoreUnavailable`
   * where it is unknown what happened.
   */
  put(key: string, object: StoreObject, condition?: PutCondition): Promise<StoreTag>;

  /** Deleting what is not there is done. */
  delete(key: string): Promise<void>;

  /**
   * Keys that begin with a prefix, ascending by UTF-8 bytes; for operators' commands, and for a publisher that has lost
   * its state. No other cycle lists anything.
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
 * Of a store with a clock of its own, which publisher and shim measure themselves against
 * (docs/spec/publishing.md#clocks).
 */
export interface StoreClock {
  /** How far `now` (ms of any clock) is ahead of the store's, by an answer that is asked for. Throws `StoreUnavailable`. */
  measureClock(now: () => number): Promise<ClockBounds>;

  /**
   * From now on every answer is such a measurement, at no request more, and is told.
   */
  watchClock(now: () => number, tell: (bounds: ClockBounds) => void): void;
}

export function hasClock(store: ObjectStore): store is ObjectStore & StoreClock {
  return "measureClock" in store;
}

export interface GetOptions {
  /** Past every cache of the store's own. */
  readonly fresh?: boolean;
}

export interface StoreObject {
  readonly body: Uint8Array;
  readonly contentType: string;
  /** Names of `[a-z0-9-]`, values of printable ASCII, not empty; `MAX_METADATA_BYTES` (check-object.ts) at most together. */
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

/** The store did not answer, or not in a way that says anything. The put may or may not have happened. */
export class StoreUnavailable extends Error {
  override readonly name: string = "StoreUnavailable";
  /** The stable code of reports and exit messages. */
  readonly code: string = "store_unavailable";
  /** What to do about it, where that is known. */
  readonly hint: string | undefined;
  /** The store has answered, and asking again gives the same: wrong credentials, no such bucket. */
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

/** No space is left in the store. The object under the key is unchanged. */
export class StoreFull extends StoreUnavailable {
  override readonly name = "StoreFull";
  override readonly code = "disk_full";
}

/**
 * What stands under a key is not what was put there: cut, emptied, changed, or somebody else's. Readers are answered as
 * by a store that is unavailable; whoever writes may put it anew with `{ ifTag: error.tag }`.
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

/** What `decode` makes of an object; whatever it throws becomes `StoreDamaged`: the object is none of ours. */
export function decodedAs<T>(key: string, object: StoredObject, decode: (object: StoredObject) => T): T {
  try {
    return decode(object);
  } catch (cause) {
    throw new StoreDamaged(key, object.tag, cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
