/**
 * A bucket of a model test with the faults of real ones: objects are lost, damaged or rolled back, requests are lost,
 * rejected or executed late. The condition of a late put is checked when it is executed.
 */
import { createHash } from "node:crypto";
import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FilesystemStore } from "../../../src/object-store/filesystem/filesystem-store.ts";
import { fileOfKey } from "../../../src/object-store/filesystem/format.ts";
import {
  type GetOptions,
  type ObjectStore,
  type PutCondition,
  StoreConflict,
  type StoredObject,
  type StoreObject,
  type StoreTag,
  StoreUnavailable,
} from "../../../src/object-store/object-store.ts";
import { MemoryStore } from "../../support/memory-store.ts";

/** As in S3, the tag is the hash of the body only. */
export class BodyTaggedStore extends MemoryStore {
  protected override tagOf({ body }: StoreObject): StoreTag {
    return createHash("md5").update(body).digest("hex");
  }
}

export type Fate =
  | "done"
  /** Not executed, and no response. */
  | "lost"
  /** Executed, but no response. */
  | "unanswered"
  /** No response, and executed later. */
  | "late"
  /** Repeated after no response; the first request is executed later. */
  | "repeated";

export type Damage = "lost" | "damaged" | "foreign" | "older";

export class Bucket implements ObjectStore {
  readonly name = "bucket";
  /** The readers' view of the store. */
  readonly stored: MemoryStore | FilesystemStore;
  /** Called around each request of a publisher. */
  step: <T>(call: () => Promise<T>) => Promise<T> = (call) => call();
  /** Decides the fate of each put. */
  fate: (key: string) => Fate = () => "done";
  /** Called after each change. */
  onChange: (what: string, key: string) => Promise<void> = async () => {};
  readonly #versions = new Map<string, StoreObject[]>();
  #late: { readonly key: string; readonly put: () => Promise<unknown> }[] = [];

  constructor(stored: MemoryStore | FilesystemStore) {
    this.stored = stored;
  }

  get(key: string, options?: GetOptions): Promise<StoredObject | undefined> {
    return this.step(() => this.stored.get(key, options));
  }

  async *list(prefix: string): AsyncIterable<string> {
    yield* this.stored.list(prefix);
  }

  put(key: string, object: StoreObject, condition?: PutCondition): Promise<StoreTag> {
    return this.step(async () => {
      const fate = this.fate(key);
      const put = () => this.#put(key, object, condition);
      if (fate === "lost") throw new StoreUnavailable(`${key}: no response`);
      if (fate === "late" || fate === "repeated") this.#late.push({ key, put });
      if (fate === "late") throw new StoreUnavailable(`${key}: no response yet`);
      if (fate === "repeated") condition?.repeated?.();
      const tag = await put();
      if (fate === "unanswered") throw new StoreUnavailable(`${key}: the response was lost`);
      return tag;
    });
  }

  delete(key: string): Promise<void> {
    return this.step(async () => {
      await this.stored.delete(key);
      await this.onChange("the deletion", key);
    });
  }

  async keys(): Promise<string[]> {
    const keys: string[] = [];
    for await (const key of this.stored.list("")) keys.push(key);
    return keys;
  }

  /** The number of pending late puts. */
  get latePuts(): number {
    return this.#late.length;
  }

  /** Executes a late put now, if its condition holds. */
  async doLatePut(index = 0): Promise<void> {
    const [late] = this.#late.splice(index, 1);
    try {
      await late?.put();
    } catch (error) {
      if (!(error instanceof StoreConflict)) throw error;
    }
  }

  /** Returns a description for the story; undefined if the object or an older version does not exist. */
  async damage(key: string, damage: Damage, pick: (versions: number) => number): Promise<string | undefined> {
    if ((await this.stored.get(key).catch(() => "damaged")) === undefined) return undefined;
    if (damage === "lost") await this.stored.delete(key);
    else if (damage === "damaged") this.#cut(key);
    else if (damage === "foreign") this.#replace(key);
    else {
      const older = this.#versions.get(key)?.slice(0, -1) ?? [];
      if (older.length === 0) return undefined;
      await this.stored.put(key, older[pick(older.length)] as StoreObject);
    }
    return `${key} is ${damage}`;
  }

  #cut(key: string): void {
    if (this.stored instanceof FilesystemStore) truncateSync(join(this.stored.name, fileOfKey(key)), 100);
    else this.stored.damage(key);
  }

  /** A foreign object has no seal. In memory there are no seals, so the object is marked as damaged. */
  #replace(key: string): void {
    if (this.stored instanceof FilesystemStore) writeFileSync(join(this.stored.name, fileOfKey(key)), FOREIGN);
    else this.stored.damage(key);
  }

  async #put(key: string, object: StoreObject, condition: PutCondition | undefined): Promise<StoreTag> {
    const tag = await this.stored.put(key, object, condition);
    this.#versions.set(key, [...(this.#versions.get(key) ?? []), object]);
    await this.onChange("the put", key);
    return tag;
  }
}

const FOREIGN = "content-type: text/html\ncontent-length: 6\nx-store-tag: t\n\n<html>";
