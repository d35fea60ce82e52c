/**
 * An in-memory store for tests. It records requests, rejects unknown metadata, fails on demand, and can damage or
 * freeze objects.
 */
import { checkKey, checkObject } from "../../src/object-store/check-object.ts";
import {
  type GetOptions,
  type ObjectStore,
  type PutCondition,
  StoreConflict,
  StoreDamaged,
  type StoredObject,
  type StoreObject,
  type StoreTag,
  StoreUnavailable,
} from "../../src/object-store/object-store.ts";

const KNOWN_METADATA = new Set([
  "status",
  "etag",
  "cache-control",
  "retry-after",
  "content-security-policy",
  "referrer-policy",
  "settlement-source",
  "fallback-reason",
  "valid-until",
  "successors",
  "at",
  "position",
]);

export class MemoryStore implements ObjectStore {
  readonly name = "memory";
  /** The key of every get, in order, with `?fresh` appended for reads that bypass caches. */
  readonly gets: string[] = [];
  readonly puts: string[] = [];
  /** If set, every call fails with this error. */
  failure: StoreUnavailable | undefined;
  /** If set, puts of matching keys fail. */
  failPuts: ((key: string) => boolean) | undefined;
  readonly #objects = new Map<string, StoredObject>();
  readonly #damaged = new Set<string>();
  readonly #stale = new Map<string, StoredObject>();
  readonly #accepts: (metadataName: string) => boolean;
  #version = 0;

  constructor(accepts: (metadataName: string) => boolean = (name) => KNOWN_METADATA.has(name)) {
    this.#accepts = accepts;
  }

  async get(key: string, options?: GetOptions): Promise<StoredObject | undefined> {
    this.gets.push(options?.fresh === true ? `${key}?fresh` : key);
    if (this.failure !== undefined) throw this.failure;
    checkKey(key);
    if (this.#damaged.has(key)) throw new StoreDamaged(key, this.#objects.get(key)?.tag ?? "", "it was damaged");
    return (options?.fresh === true ? undefined : this.#stale.get(key)) ?? this.#objects.get(key);
  }

  async put(key: string, object: StoreObject, condition?: PutCondition): Promise<StoreTag> {
    this.puts.push(key);
    if (this.failure !== undefined) throw this.failure;
    if (this.failPuts?.(key) === true) throw new StoreUnavailable(`${key} is refused`);
    checkKey(key);
    checkObject(object);
    this.#refuseUnknown(key, object);
    const present = this.#objects.get(key);
    if (condition !== undefined && !holds(condition, present)) throw new StoreConflict(key);
    const tag = this.tagOf(object);
    this.#objects.set(key, { ...object, body: new Uint8Array(object.body), metadata: { ...object.metadata }, tag });
    this.#damaged.delete(key);
    return tag;
  }

  async delete(key: string): Promise<void> {
    if (this.failure !== undefined) throw this.failure;
    checkKey(key);
    this.#objects.delete(key);
    this.#damaged.delete(key);
  }

  async *list(prefix: string): AsyncIterable<string> {
    if (this.failure !== undefined) throw this.failure;
    const keys = [...this.#objects.keys()].filter((key) => key.startsWith(prefix));
    yield* keys.sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
  }

  /** From now on, gets of this key that are not `fresh` return the current object, whatever is put later. */
  freeze(key: string): void {
    const object = this.#objects.get(key);
    if (object !== undefined) this.#stale.set(key, object);
  }

  /** Damages the stored object until the next put. */
  damage(key: string): void {
    if (!this.#objects.has(key)) throw new Error(`${key} does not exist`);
    this.#damaged.add(key);
  }

  /** All objects, without counting a request. */
  contents(): ReadonlyMap<string, StoredObject | "damaged"> {
    return new Map([...this.#objects].map(([key, object]) => [key, this.#damaged.has(key) ? "damaged" : object]));
  }

  thaw(): void {
    this.#stale.clear();
  }

  fail(message = "the store is down"): void {
    this.failure = new StoreUnavailable(message);
  }

  /** A different tag for each put. */
  protected tagOf(_object: StoreObject): StoreTag {
    return String(++this.#version);
  }

  #refuseUnknown(key: string, { metadata }: StoreObject): void {
    const unknown = Object.keys(metadata).find((name) => !this.#accepts(name));
    if (unknown !== undefined) throw new Error(`${key}: unknown metadata ${unknown}`);
  }
}

function holds(condition: PutCondition, present: StoredObject | undefined): boolean {
  return "ifAbsent" in condition ? present === undefined : present?.tag === condition.ifTag;
}
