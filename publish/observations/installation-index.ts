/**
 * Which installation is published under which history, as the index in the store has it (docs/spec/publishing.md#index):
 * one object, or shards of which each is read when one of its installations is first looked at.
 */

import {
  type HistoryNames,
  parseIndex,
  parseIndexShard,
  SHARDS,
  shardKey,
  shardKeyOf,
} from "../../src/http/installations.ts";
import { INSTALLATIONS_KEY } from "../../src/http/keys.ts";
import type { ObjectStore } from "../../src/object-store/object-store.ts";
import type { Published } from "../state/published.ts";
import { IndexPart, readIndexObject } from "./index-part.ts";

/** More than so many names are kept in shards: up to there the index is some 50 kB. */
const MOST_WHOLE = 1_000;

export interface IndexSource {
  readonly store: ObjectStore;
  readonly published: Published;
}

export class InstallationIndex {
  /** The installation that the index in the store names as the configured one; undefined where there is no such index. */
  readonly configuredBefore: string | undefined;
  readonly #source: IndexSource;
  /** By key. */
  readonly #parts = new Map<string, IndexPart>();
  readonly #reading = new Map<string, Promise<void>>();
  /** Undefined while one object names them all. */
  #shards: number | undefined;

  private constructor(
    source: IndexSource,
    configuredBefore: string | undefined,
    names: HistoryNames | number | undefined,
  ) {
    this.#source = source;
    this.configuredBefore = configuredBefore;
    if (typeof names === "number") this.#shards = names;
    else this.#parts.set(INSTALLATIONS_KEY, new IndexPart(INSTALLATIONS_KEY, names));
  }

  /** Reads the index in the store. */
  static async load(source: IndexSource): Promise<InstallationIndex> {
    const index = await readIndexObject(source, INSTALLATIONS_KEY, parseIndex);
    if (index === undefined) return new InstallationIndex(source, undefined, undefined);
    const names = "histories" in index ? index.histories : index.shards;
    return new InstallationIndex(source, index.configured, names);
  }

  /** Reads what would name an installation, once. */
  async load(installationId: string): Promise<void> {
    await this.#load(this.#keyOf(installationId));
  }

  async #load(key: string): Promise<void> {
    if (this.#parts.has(key)) return;
    let reading = this.#reading.get(key);
    if (reading === undefined) {
      reading = this.#read(key).finally(() => this.#reading.delete(key));
      this.#reading.set(key, reading);
    }
    await reading;
  }

  /** Reads all of it. */
  async loadAll(): Promise<void> {
    for (let shard = 0; shard < (this.#shards ?? 0); shard++) await this.#load(shardKey(shard, this.#shards ?? 0));
  }

  /** Undefined where it is not named. Of one that has been loaded. */
  history(installationId: string): string | undefined {
    return this.#parts.get(this.#keyOf(installationId))?.names.get(installationId);
  }

  /** Of one that has been loaded. */
  name(installationId: string, history: string): void {
    this.#parts.get(this.#keyOf(installationId))?.name(installationId, history);
  }

  /** Whether what would name it is missing or damaged. */
  isLost(installationId: string): boolean {
    return this.#parts.get(this.#keyOf(installationId))?.isLost === true;
  }

  /** Whether anything of it is. */
  get hasLost(): boolean {
    return this.parts().some(({ isLost }) => isLost);
  }

  /** Whether it names so many at most, and it is known whom. */
  isWholeWithin(most: number): boolean {
    const whole = this.#parts.get(INSTALLATIONS_KEY);
    return whole !== undefined && whole.names.size <= most;
  }

  /** Undefined while one object names them all. */
  get shards(): number | undefined {
    return this.#shards;
  }

  /** The objects with names that have been read so far. */
  parts(): IndexPart[] {
    return [...this.#parts.values()];
  }

  /** An index that has become long is kept in shards from now on. */
  split(): void {
    const whole = this.#parts.get(INSTALLATIONS_KEY);
    if (whole === undefined || whole.names.size <= MOST_WHOLE) return;
    this.#parts.clear();
    this.#shards = SHARDS;
    // All of them are put, also those that name nobody: a missing one is a lost one.
    for (let shard = 0; shard < SHARDS; shard++) {
      const part = new IndexPart(shardKey(shard, SHARDS), undefined);
      part.recovered();
      this.#parts.set(part.key, part);
    }
    for (const [id, history] of whole.names) this.name(id, history);
  }

  #keyOf(installationId: string): string {
    return this.#shards === undefined ? INSTALLATIONS_KEY : shardKeyOf(installationId, this.#shards);
  }

  async #read(key: string): Promise<void> {
    this.#parts.set(key, new IndexPart(key, await readIndexObject(this.#source, key, parseIndexShard)));
  }
}
