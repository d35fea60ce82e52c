/** Under which history each installation is published, and how far its observations are in the store. */
import { type ObjectStore, StoreDamaged } from "../../src/object-store/object-store.ts";
import { readOrDamaged } from "../../src/object-store/read-or-damaged.ts";
import { observationTileKey, tileOf } from "../../src/resources/observations/keys.ts";
import { installationTelemetryKey, TELEMETRY_KEY } from "../../src/resources/telemetry/keys.ts";
import { readPublished } from "../answers/published-object.ts";
import type { Published, TileProgress } from "../state/published.ts";
import { InstallationIndex } from "./installation-index.ts";
import { findProgress } from "./tiles.ts";

const FIRST_HISTORY = "1";

export class Histories {
  readonly index: InstallationIndex;
  readonly #store: ObjectStore;
  readonly #published: Published;
  readonly configured: string;
  readonly #prepared = new Map<string, TileProgress>();
  readonly #lostTiles = new Set<string>();
  #hasNewHistory = false;

  private constructor(store: ObjectStore, published: Published, configured: string, index: InstallationIndex) {
    this.#store = store;
    this.#published = published;
    this.configured = configured;
    this.index = index;
  }

  /** Reads the index in the store, once a session. */
  static async load(store: ObjectStore, published: Published, configured: string): Promise<Histories> {
    return new Histories(store, published, configured, await InstallationIndex.load({ store, published }));
  }

  /** Looks up how far an installation is in the store, before its first put of a session. */
  async prepare(installationId: string): Promise<void> {
    if (this.#prepared.has(installationId)) return;
    await this.index.load(installationId);
    const key = installationId === this.configured ? TELEMETRY_KEY : installationTelemetryKey(installationId);
    if (this.#published.get(key) === undefined) await readPublished(this.#store, this.#published, key);
    const telemetry = this.#published.get(key);
    const remembered = this.#published.tiles(installationId);
    if (this.index.isLost(installationId) && (remembered !== undefined || telemetry !== undefined)) {
      // It has been published before: its own objects know better than nobody.
      this.name(installationId, remembered?.history ?? telemetry?.asof.history);
    }
    const history = this.#historyOf(installationId);
    const isThere = remembered?.history === history && (await this.#isNewestThere(installationId, remembered));
    const progress = isThere
      ? remembered
      : await findProgress(this.#store, installationId, history, telemetry?.asof.position ?? 0);
    this.#prepared.set(installationId, progress);
  }

  /** Whether a tile was remembered, and then missing or damaged in the store; told once. */
  takeLost(tileKey: string): boolean {
    return this.#lostTiles.delete(tileKey);
  }

  progress(installationId: string): TileProgress {
    const history = this.#historyOf(installationId);
    return this.#prepared.get(installationId) ?? { history, position: 0, tag: null };
  }

  advance(installationId: string, progress: TileProgress): void {
    this.#prepared.set(installationId, progress);
    this.#published.rememberTiles(installationId, progress);
  }

  /** Leaves the published history behind, on the operator's word: the next one begins from nothing. */
  async startNew(installationId: string): Promise<void> {
    await this.prepare(installationId);
    const before = this.index.history(installationId);
    const next = String(Number(before ?? "0") + 1);
    this.index.name(installationId, next);
    this.advance(installationId, { history: next, position: 0, tag: null });
    if (before !== undefined) this.#hasNewHistory = true;
  }

  /** Whether the index has to name a new history before anything is put under it. */
  get mustBeNamedFirst(): boolean {
    return this.#hasNewHistory;
  }

  /** The index with all that is known here is in the store. */
  named(): void {
    this.#hasNewHistory = false;
  }

  /** Where it is not named yet. */
  name(installationId: string, history = FIRST_HISTORY): void {
    if (this.index.history(installationId) === undefined) this.index.name(installationId, history);
  }

  /** Whether the tile that it ends with is the one that was put last; of the others that is believed, they are many. */
  async #isNewestThere(installationId: string, { history, position, tag }: TileProgress): Promise<boolean> {
    if (installationId !== this.configured || position === 0) return true;
    const key = observationTileKey(installationId, history, tileOf(position));
    const found = await readOrDamaged(this.#store, key);
    const isWhole = found !== undefined && !(found instanceof StoreDamaged);
    if (!isWhole) this.#lostTiles.add(key);
    return isWhole && found.tag === tag;
  }

  #historyOf(installationId: string): string {
    return this.index.history(installationId) ?? FIRST_HISTORY;
  }
}
