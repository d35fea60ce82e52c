/** A strict store in memory: counts what it is asked, refuses what no object of ours carries, fails on demand. */
import { MAX_METADATA_BYTES } from "../../src/object-store/check-object.ts";
import {
  type GetOptions,
  type ObjectStore,
  type PutCondition,
  StoreConflict,
  type StoredObject,
  type StoreObject,
  type StoreTag,
  StoreUnavailable,
} from "../../src/object-store/object-store.ts";

const KNOWN_METADATA = new Set(["status", "headers", "states", "valid-until", "successors", "epoch", "writer", "asof"]);
const PRINTABLE = /^[\x20-\x7e]*$/;

export class MemoryStore implements ObjectStore {
  readonly name = "memory";
  /** Every key asked for, in order; `key?fresh` for a read past caches. */
  readonly gets: string[] = [];
  readonly puts: string[] = [];
  /** Set: every call fails with it. */
  failure: StoreUnavailable | undefined;
  /** Set: puts of these keys fail. */
  failPuts: ((key: string) => boolean) | undefined;
  readonly #objects = new Map<string, StoredObject>();
  readonly #stale = new Map<string, StoredObject>();
  #version = 0;

  async get(key: string, options?: GetOptions): Promise<StoredObject | undefined> {
    this.gets.push(options?.fresh === true ? `${key}?fresh` : key);
    if (this.failure !== undefined) throw this.failure;
    return (options?.fresh === true ? undefined : this.#stale.get(key)) ?? this.#objects.get(key);
  }

  async put(key: string, object: StoreObject, condition?: PutCondition): Promise<StoreTag> {
    this.puts.push(key);
    if (this.failure !== undefined) throw this.failure;
    if (this.failPuts?.(key) === true) throw new StoreUnavailable(`${key} is refused`);
    refuse(key, object);
    const present = this.#objects.get(key);
    if (condition !== undefined && !holds(condition, present)) throw new StoreConflict(key);
    const tag = String(++this.#version);
    this.#objects.set(key, { ...structuredClone(object), tag });
    return tag;
  }

  async delete(key: string): Promise<void> {
    if (this.failure !== undefined) throw this.failure;
    this.#objects.delete(key);
  }

  async *list(prefix: string): AsyncIterable<string> {
    if (this.failure !== undefined) throw this.failure;
    yield* [...this.#objects.keys()].filter((key) => key.startsWith(prefix)).toSorted();
  }

  /** From now on a get of this key that is not fresh sees the object as it is now, whatever is put. */
  freeze(key: string): void {
    const object = this.#objects.get(key);
    if (object !== undefined) this.#stale.set(key, object);
  }

  thaw(): void {
    this.#stale.clear();
  }

  fail(message = "the store is down"): void {
    this.failure = new StoreUnavailable(message);
  }
}

function holds(condition: PutCondition, present: StoredObject | undefined): boolean {
  return "ifAbsent" in condition ? present === undefined : present?.tag === condition.ifTag;
}

function refuse(key: string, { metadata, contentType }: StoreObject): void {
  const unknown = Object.keys(metadata).find((name) => !KNOWN_METADATA.has(name));
  if (unknown !== undefined) throw new Error(`${key}: unknown metadata ${unknown}`);
  if (!Object.values(metadata).every((value) => PRINTABLE.test(value))) throw new Error(`${key}: not ASCII`);
  const size = Object.entries(metadata).reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (size > MAX_METADATA_BYTES) throw new Error(`${key}: ${size} bytes of metadata`);
  if (contentType === "") throw new Error(`${key}: no content type`);
}
