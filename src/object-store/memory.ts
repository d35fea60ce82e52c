import { checkKey, checkObject } from "./check-object.ts";
import {
  type ObjectStore,
  type PutCondition,
  StoreConflict,
  type StoredObject,
  type StoreObject,
} from "./object-store.ts";

/** One call on a `MemoryStore`, for tests that count requests. */
export interface MemoryCall {
  readonly operation: "get" | "put" | "delete" | "list";
  readonly key: string;
}

/** A store in memory, as strict as any: for `render`, and for tests. What goes in or out is never shared. */
export class MemoryStore implements ObjectStore {
  readonly name = "memory";
  readonly calls: MemoryCall[] = [];
  private readonly objects = new Map<string, StoredObject>();
  private puts = 0;

  async get(key: string): Promise<StoredObject | undefined> {
    this.note("get", key);
    const object = this.objects.get(key);
    return object === undefined ? undefined : { ...copy(object), tag: object.tag };
  }

  async put(key: string, object: StoreObject, condition?: PutCondition): Promise<string> {
    this.note("put", key);
    checkObject(object);
    if (condition !== undefined) {
      const wanted = "ifTag" in condition ? condition.ifTag : undefined;
      if (this.objects.get(key)?.tag !== wanted) throw new StoreConflict(`${key}: the condition does not hold`);
    }
    const tag = String(++this.puts);
    this.objects.set(key, { ...copy(object), tag });
    return tag;
  }

  async delete(key: string): Promise<void> {
    this.note("delete", key);
    this.objects.delete(key);
  }

  async *list(prefix: string): AsyncIterable<string> {
    this.calls.push({ operation: "list", key: prefix });
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix));
    yield* keys.sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
  }

  private note(operation: MemoryCall["operation"], key: string): void {
    checkKey(key);
    this.calls.push({ operation, key });
  }
}

function copy(object: StoreObject): StoreObject {
  return { body: object.body.slice(), contentType: object.contentType, metadata: { ...object.metadata } };
}
