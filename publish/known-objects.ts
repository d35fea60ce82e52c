/** The stored objects by key, as far as they are known. A row changes only after the store has confirmed the change. */
import { type InstallationIndex, parseIndex } from "../src/http/installations.ts";
import { INSTALLATIONS_KEY } from "../src/http/keys.ts";
import type { StoreObject, StoreTag } from "../src/object-store/object-store.ts";
import {
  decodeStates,
  encodeStates,
  type ResponseState,
  type SourceVersion,
} from "../src/object-store/stored-response.ts";
import { parseInstallationTelemetryKey } from "../src/resources/telemetry/route.ts";
import type { StateRows } from "./state-rows.ts";

export interface KnownObject {
  readonly key: string;
  readonly condition: "stored" | "damaged" | "absent";
  /** Null if the object is absent. */
  readonly tag: StoreTag | null;
  /** The fingerprints of the response and of its successors; empty unless the object is a stored response. */
  readonly states: readonly ResponseState[];
  /** The newest source version that was published under this key, also if the object was lost since. */
  readonly sourceVersion: SourceVersion;
  /** 0 unless the object is stored. */
  readonly status: number;
  readonly bytes: number;
  readonly etag: string | null;
  /** Epoch ms of the put. */
  readonly putAt: number;
}

export const OBJECTS_TABLE = `
CREATE TABLE IF NOT EXISTS known (
  key TEXT PRIMARY KEY, condition TEXT NOT NULL, tag TEXT, states TEXT NOT NULL, source_version TEXT NOT NULL,
  status INTEGER NOT NULL, bytes INTEGER NOT NULL, etag TEXT, put_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;`;

export class KnownObjects {
  readonly #rows: StateRows;
  readonly #objects = new Map<string, KnownObject>();
  /** Keys whose objects must be read before a plan uses them. Their rows only remember the published version. */
  readonly #unread = new Set<string>();
  /** Bodies that a plan needs, of objects that were read or put. */
  readonly #bodies = new Map<string, StoreObject>();
  /** The index that was read or put last, instead of its body. */
  #index: InstallationIndex | undefined;
  readonly #doubted = new Map<string, number>();

  constructor(rows: StateRows) {
    this.#rows = rows;
    const doubted = JSON.parse(rows.meta("doubted") ?? "[]") as [string, number][];
    for (const [key, at] of doubted) this.#doubted.set(key, at);
    for (const row of rows.read("SELECT * FROM known")) this.#objects.set(String(row.key), objectOf(row));
  }

  /** Returns undefined if the object was never looked up, or must be read again. */
  get(key: string): KnownObject | undefined {
    return this.#unread.has(key) ? undefined : this.#objects.get(key);
  }

  /** The newest published source version of a key, also if the object must be read again. */
  floor(key: string): SourceVersion | undefined {
    return this.#objects.get(key)?.sourceVersion;
  }

  /** Yields every stored object. */
  *all(): Iterable<KnownObject> {
    for (const object of this.#objects.values()) if (object.condition === "stored") yield object;
  }

  remember(object: KnownObject): void {
    const sql = "INSERT OR REPLACE INTO known VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";
    const { key, condition, tag, states, sourceVersion, status, bytes, etag, putAt } = object;
    this.#rows.run(
      sql,
      key,
      condition,
      tag,
      encodeStates(states),
      JSON.stringify(sourceVersion),
      status,
      bytes,
      etag,
      putAt,
    );
    this.#objects.set(key, object);
    this.#unread.delete(key);
    // The kept body belongs to the earlier object.
    this.#bodies.delete(key);
    if (key === INSTALLATIONS_KEY) this.#index = undefined;
  }

  /** Makes the next plan read the object. Its published version is kept, so that nothing older replaces it. */
  forget(key: string): void {
    this.#rows.run("DELETE FROM known WHERE key = ?", key);
    this.#unread.add(key);
    this.#bodies.delete(key);
  }

  /** Keys of puts whose result is unknown, and which may still arrive: key → instant of the newest one (epoch ms). */
  get doubted(): ReadonlyMap<string, number> {
    return this.#doubted;
  }

  /** Records a put that may still arrive. It is committed at once, so that the next process reads the object too. */
  doubt(key: string, at: number): void {
    this.#doubted.set(key, at);
    this.#rows.setMeta("doubted", JSON.stringify([...this.#doubted]));
  }

  endDoubt(key: string): void {
    this.#doubted.delete(key);
    this.#rows.setMeta("doubted", JSON.stringify([...this.#doubted]));
  }

  /** Deletes the row. Tiles have no rows, because a listing or a progress covers them. */
  drop(key: string): void {
    if (!this.#objects.has(key)) return;
    this.#rows.run("DELETE FROM known WHERE key = ?", key);
    this.#objects.delete(key);
  }

  /** Records that the object must be rewritten. `tag`: of the object that is stored there instead; null: none. */
  rememberFaulty(key: string, tag: StoreTag | null): void {
    const condition = tag === null ? "absent" : "damaged";
    const nothing = { states: [], status: 0, bytes: 0, etag: null, putAt: 0 } as const;
    const body = this.#bodies.get(key);
    this.remember({
      key,
      condition,
      tag,
      sourceVersion: this.#objects.get(key)?.sourceVersion ?? { at: 0 },
      ...nothing,
    });
    // While no node responds, the next response is built from what was stored.
    if (body !== undefined) this.#bodies.set(key, body);
  }

  /**
   * Makes the next plan read all objects again except those of single installations. These are too many: `scrub.ts` checks
   * them one by one.
   */
  readAgain(): void {
    for (const key of this.#objects.keys()) {
      if (parseInstallationTelemetryKey(key) === undefined) this.#unread.add(key);
    }
  }

  /** Returns the object with its body; undefined if the body is not in memory. */
  object(key: string): StoreObject | undefined {
    return this.#unread.has(key) ? undefined : this.#bodies.get(key);
  }

  body(key: string): string | undefined {
    const object = this.object(key);
    return object && new TextDecoder().decode(object.body);
  }

  keepBody(key: string, object: StoreObject): void {
    if (key === INSTALLATIONS_KEY) this.#index = parseIndex(new TextDecoder().decode(object.body));
    else this.#bodies.set(key, object);
  }

  /** The stored index. "lost": it is damaged or absent; undefined: it must be read. */
  get index(): InstallationIndex | "lost" | undefined {
    const condition = this.get(INSTALLATIONS_KEY)?.condition;
    return condition === "damaged" || condition === "absent" ? "lost" : condition && this.#index;
  }

  /** Frees all bodies except those of some keys. */
  dropBodies(kept: ReadonlySet<string>): void {
    for (const key of this.#bodies.keys()) if (!kept.has(key)) this.#bodies.delete(key);
  }

  forgetAll(): void {
    this.#rows.run("DELETE FROM known");
    for (const memory of [this.#objects, this.#bodies, this.#unread]) memory.clear();
  }
}

function objectOf(row: Record<string, string | number | null>): KnownObject {
  return {
    key: String(row.key),
    condition: row.condition as KnownObject["condition"],
    tag: row.tag === null ? null : String(row.tag),
    states: decodeStates(String(row.states)),
    sourceVersion: JSON.parse(String(row.source_version)) as SourceVersion,
    status: Number(row.status),
    bytes: Number(row.bytes),
    etag: row.etag === null ? null : String(row.etag),
    putAt: Number(row.put_at),
  };
}
