/** Under which history each installation is published, and how far its observations are in the store. */
import { type Installations, parseInstallations } from "../../src/http/installations.ts";
import { INSTALLATIONS_KEY } from "../../src/http/keys.ts";
import { type ObjectStore, StoreDamaged, type StoredObject } from "../../src/object-store/object-store.ts";
import { installationTelemetryKey, TELEMETRY_KEY } from "../../src/resources/telemetry/keys.ts";
import { damagedObject, isDamaged, readPublished } from "../answers/published-object.ts";
import type { Published, TileProgress } from "../state/published.ts";
import { findProgress } from "./tiles.ts";

const FIRST_HISTORY = "1";

export class Histories {
  readonly #names: Map<string, string>;
  /** The installation that the index in the store names as the configured one; undefined before the first index. */
  readonly configuredBefore: string | undefined;
  readonly #store: ObjectStore;
  readonly #published: Published;
  readonly configured: string;
  readonly #prepared = new Map<string, TileProgress>();
  #hasNewHistory = false;
  #revision = 0;

  private constructor(store: ObjectStore, published: Published, configured: string, index: Installations | undefined) {
    this.#store = store;
    this.#published = published;
    this.configured = configured;
    this.#names = new Map(index?.histories);
    this.configuredBefore = index?.configured;
  }

  /** Installation id → the history that its observations are in. */
  get names(): ReadonlyMap<string, string> {
    return this.#names;
  }

  /** Reads the index in the store, once a session. A damaged one is put anew from what the objects themselves say. */
  static async load(store: ObjectStore, published: Published, configured: string): Promise<Histories> {
    const found = await readPublished(store, published, INSTALLATIONS_KEY);
    return new Histories(store, published, configured, found && indexOf(found, published));
  }

  /** Looks up how far an installation is in the store, before its first put of a session. */
  async prepare(installationId: string): Promise<void> {
    if (this.#prepared.has(installationId)) return;
    const key = installationId === this.configured ? TELEMETRY_KEY : installationTelemetryKey(installationId);
    if (this.#published.get(key) === undefined) await readPublished(this.#store, this.#published, key);
    const asof = this.#published.get(key)?.asof;
    const remembered = this.#published.tiles(installationId);
    if (this.isIndexDamaged && !this.names.has(installationId)) {
      this.#setName(installationId, remembered?.history ?? asof?.history ?? FIRST_HISTORY);
    }
    const history = this.names.get(installationId) ?? FIRST_HISTORY;
    const progress =
      remembered?.history === history
        ? remembered
        : await findProgress(this.#store, installationId, history, asof?.position ?? 0);
    this.#prepared.set(installationId, progress);
  }

  progress(installationId: string): TileProgress {
    const history = this.names.get(installationId) ?? FIRST_HISTORY;
    return this.#prepared.get(installationId) ?? { history, position: 0, tag: null };
  }

  advance(installationId: string, progress: TileProgress): void {
    this.#prepared.set(installationId, progress);
    this.#published.rememberTiles(installationId, progress);
  }

  /** Leaves the published history behind, on the operator's word: the next one begins from nothing. */
  startNew(installationId: string): void {
    const before = this.names.get(installationId);
    const next = String(Number(before ?? "0") + 1);
    this.#setName(installationId, next);
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

  name(installationId: string): void {
    if (!this.names.has(installationId)) this.#setName(installationId, FIRST_HISTORY);
  }

  /** Another one whenever `names` has changed: so that the index is not written out to be compared. */
  get revision(): number {
    return this.#revision;
  }

  /** Whether the index in the store says nothing any more: only once every installation is prepared are all its names known. */
  get isIndexDamaged(): boolean {
    const index = this.#published.get(INSTALLATIONS_KEY);
    return index !== undefined && isDamaged(index);
  }

  #setName(installationId: string, history: string): void {
    this.#names.set(installationId, history);
    this.#revision++;
  }
}

/** Undefined where it is well sealed and no index: it is put anew as a damaged one is. */
function indexOf(found: StoredObject, published: Published): Installations | undefined {
  try {
    return parseInstallations(new TextDecoder().decode(found.body));
  } catch (cause) {
    const because = cause instanceof Error ? cause.message : String(cause);
    published.remember(damagedObject(new StoreDamaged(INSTALLATIONS_KEY, found.tag, because, { cause })));
    return undefined;
  }
}
