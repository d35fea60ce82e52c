/**
 * The publisher's knowledge of the object store: one table in the state directory, filled on demand. A row changes
 * only after the store has confirmed the change. If another publisher has held the lease since, all rows are deleted.
 */
import SqliteDatabase, { type Database } from "better-sqlite3";
import { isDiskFull } from "../src/files/disk-full.ts";
import { replaceFile } from "../src/files/write-all.ts";
import { type InstallationIndex, parseIndex } from "../src/http/installations.ts";
import { INSTALLATIONS_KEY } from "../src/http/keys.ts";
import type { LogPoint } from "../src/ledger/log.ts";
import type { StoreObject, StoreTag } from "../src/object-store/object-store.ts";
import {
  decodeStates,
  encodeStates,
  type ResponseState,
  type SourceVersion,
} from "../src/object-store/stored-response.ts";
import { parseInstallationTelemetryKey } from "../src/resources/telemetry/route.ts";
import { IdleCheckpoint } from "../src/sqlite/idle-checkpoint.ts";
import { sqliteFailure } from "../src/sqlite/sqlite-failure.ts";
import { readValue, statement } from "../src/sqlite/statement.ts";
import { Failure } from "../src/values/failure.ts";
import { errorMessage, systemCode } from "../src/values/unknown.ts";
import { checkpointFile, openState, stateFile } from "./state-directory.ts";

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

/** The end of the stored observations of one installation. */
export interface TileProgress {
  /** The number of the log. */
  readonly log: number;
  readonly position: number;
  /** The tag of the tile that holds `position`, and the state of the log from which it was put; null if there is none. */
  readonly tag: StoreTag | null;
  readonly point: LogPoint | null;
}

/** What is stored of installations, as far as the keys of their objects show it. */
export interface PublishedInstallations {
  /** Installation id → the number of the last log of which it has tiles; the first log if it has telemetry only. */
  readonly installations: ReadonlyMap<string, number>;
  /** The highest number of a log. */
  readonly log: number;
}

/** Objects below a prefix: name → the time since which no stored object refers to it (epoch ms; null: one does). */
export type Listing = Map<string, number | null>;

const SCHEMA = `
CREATE TABLE IF NOT EXISTS known (
  key TEXT PRIMARY KEY, condition TEXT NOT NULL, tag TEXT, states TEXT NOT NULL, source_version TEXT NOT NULL,
  status INTEGER NOT NULL, bytes INTEGER NOT NULL, etag TEXT, put_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS known_progress (
  installation TEXT PRIMARY KEY, log INTEGER NOT NULL, position INTEGER NOT NULL, tag TEXT, size INTEGER, root TEXT
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS known_prefix (prefix TEXT PRIMARY KEY, version TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS known_name (
  prefix TEXT NOT NULL, name TEXT NOT NULL, unnamed_since INTEGER, PRIMARY KEY (prefix, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
`;

/** Longest time from a change to its commit (ms). A commit writes whole pages, so several changes share one. */
const SAVE_EVERY_MS = 30_000;

/** Limit of the block hashes in memory. */
const BLOCKS_LIMIT = 256;

export class Known {
  readonly #db: Database;
  readonly #objects = new Map<string, KnownObject>();
  readonly #progress = new Map<string, TileProgress>();
  readonly #listings = new Map<string, { version: string; readonly names: Listing }>();
  /** Keys whose objects must be read before a plan uses them. Their rows only remember the published version. */
  readonly #unread = new Set<string>();
  /** Installations whose progress must be compared with the store. */
  readonly #unreadProgress = new Set<string>();
  /** Keys of tiles and bundles below the end that are damaged or absent. */
  readonly #faultyTiles = new Set<string>();
  /** Bodies that a plan needs, of objects that were read or put. */
  readonly #bodies = new Map<string, StoreObject>();
  /** The index that was read or put last, instead of its body. */
  #index: InstallationIndex | undefined;
  /** Looked up only if the index is lost. */
  publishedInstallations: PublishedInstallations | undefined;
  /** The number of the published log; undefined until it is looked up. */
  log: number | undefined;
  /** Ids of installations that the stored index must list and does not. */
  readonly unlisted = new Set<string>();
  /** The chain's hashes at published blocks, by number; null if every node was silent. */
  readonly blocks = new Map<string, string | null>();
  #chainHistory = "";
  /** The highest epoch of the objects that were read. */
  highestEpoch = 0;
  readonly #doubted = new Map<string, number>();
  readonly #checkpoint: IdleCheckpoint;
  /** When the oldest uncommitted change was made (monotonic, ms). */
  #unsavedSince: number | undefined;
  /** A write failed. The file may lack rows that memory has, so it is not marked as closed. */
  #lacksRows = false;

  /** The published checkpoint, until it is saved. */
  #checkpointBody: Uint8Array | undefined;
  /** Undefined if nothing is kept on disk. */
  readonly #directory: string | undefined;

  private constructor(db: Database, directory?: string) {
    this.#db = db;
    this.#directory = directory;
    this.#checkpoint = new IdleCheckpoint(db);
    this.#load();
  }

  /**
   * Locks the state directory until `close`. If the last process did not close the file, its rows may be older than the
   * store, and an object that changed twice could look unchanged. Then all rows are deleted. The mark of a running
   * process is synced to disk. Throws `Failure` state_locked, state_unusable, disk_full.
   */
  static open(directory: string): Known {
    return openState(directory, SCHEMA, (db) => {
      const known = new Known(db, directory);
      if (known.meta("open") === "yes") known.forgetAll();
      db.pragma("synchronous = FULL");
      known.setMeta("open", "yes");
      db.pragma("synchronous = NORMAL");
      return known;
    });
  }

  /** Opens an empty table that is not on disk, for a dry run or a repair. */
  static inMemory(): Known {
    const db = new SqliteDatabase(":memory:");
    db.exec(SCHEMA);
    return new Known(db);
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
    this.#run(
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
    this.#run("DELETE FROM known WHERE key = ?", key);
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
    this.setMeta("doubted", JSON.stringify([...this.#doubted]));
  }

  endDoubt(key: string): void {
    this.#doubted.delete(key);
    this.setMeta("doubted", JSON.stringify([...this.#doubted]));
  }

  /** Deletes the row. Tiles have no rows, because a listing or a progress covers them. */
  drop(key: string): void {
    if (!this.#objects.has(key)) return;
    this.#run("DELETE FROM known WHERE key = ?", key);
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
   * Makes the next plan read the configured installation's objects again, because they may be damaged since the last
   * process. The objects of other installations are too many: `scrub.ts` checks them one by one.
   */
  forgetOwn(configured: string): void {
    for (const key of this.#objects.keys()) {
      if (parseInstallationTelemetryKey(key) === undefined) this.#unread.add(key);
    }
    this.log = undefined;
    if (this.#progress.has(configured)) this.#unreadProgress.add(configured);
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

  /**
   * Must be called before a cycle checks the chain. If the `history` of the chain's file has changed, the file may hold
   * another fork, so that all block hashes are forgotten. `safe` is the safe block of the current view.
   */
  rememberChain(history: string, safe: { readonly number: bigint; readonly hash: string } | undefined): void {
    if (history !== this.#chainHistory) this.blocks.clear();
    this.#chainHistory = history;
    if (safe !== undefined) this.rememberBlock(String(safe.number), safe.hash);
  }

  rememberBlock(number: string, hash: string | null): void {
    if (this.blocks.size > BLOCKS_LIMIT) this.blocks.clear();
    this.blocks.set(number, hash);
  }

  /** Makes the next plan ask the nodes again for blocks for which none has responded. */
  forgetSilentBlocks(): void {
    for (const [number, hash] of this.blocks) if (hash === null) this.blocks.delete(number);
  }

  /** Frees all bodies except those of some keys. */
  dropBodies(kept: ReadonlySet<string>): void {
    for (const key of this.#bodies.keys()) if (!kept.has(key)) this.#bodies.delete(key);
  }

  /** Returns undefined if the progress was never looked up, or must be read again. */
  progress(installationId: string): TileProgress | undefined {
    return this.#unreadProgress.has(installationId) ? undefined : this.#progress.get(installationId);
  }

  /** Returns the last progress, even if it must be read again. */
  progressFloor(installationId: string): TileProgress | undefined {
    return this.#progress.get(installationId);
  }

  rememberProgress(installationId: string, progress: TileProgress): void {
    const sql = "INSERT OR REPLACE INTO known_progress VALUES (?, ?, ?, ?, ?, ?)";
    const { log, position, tag, point } = progress;
    this.#run(sql, installationId, log, position, tag, point?.size ?? null, point?.root ?? null);
    this.#progress.set(installationId, progress);
    this.#unreadProgress.delete(installationId);
  }

  /** Keeps the published checkpoint for `ingest`, which compares the ledger with it without a store. The next commit saves it. */
  keepCheckpoint(body: Uint8Array): void {
    this.#checkpointBody = body;
  }

  /** Makes the next plan look up the end of the tiles. */
  forgetProgress(installationId: string): void {
    if (!this.#progress.has(installationId)) return;
    this.#run("DELETE FROM known_progress WHERE installation = ?", installationId);
    this.#unreadProgress.add(installationId);
  }

  everyProgress(): Iterable<readonly [installationId: string, progress: TileProgress]> {
    return this.#progress;
  }

  /** Returns the keys of tiles below the end that must be rewritten. */
  faultyTiles(prefix: string): string[] {
    return [...this.#faultyTiles].filter((key) => key.startsWith(prefix));
  }

  /** Records that an observation tile or a bundle must be rewritten. `tag` as in `rememberFaulty`. */
  rememberFaultyTile(key: string, tag: StoreTag | null): void {
    this.rememberFaulty(key, tag);
    this.#faultyTiles.add(key);
  }

  tileRewritten(key: string): void {
    this.drop(key);
    this.#faultyTiles.delete(key);
  }

  /** Returns undefined if the prefix was never listed. */
  listing(prefix: string): ReadonlyMap<string, number | null> | undefined {
    return this.#listings.get(prefix)?.names;
  }

  /** Returns the version of the tile set whose objects are all stored; "" if there is none. */
  listedVersion(prefix: string): string {
    return this.#listings.get(prefix)?.version ?? "";
  }

  prefixes(): Iterable<string> {
    return this.#listings.keys();
  }

  /** Replaces the names below a prefix by the listed ones. */
  rememberListing(prefix: string, names: Iterable<string>): void {
    const before = this.#listings.get(prefix)?.names;
    this.#run("DELETE FROM known_name WHERE prefix = ?", prefix);
    this.#listings.set(prefix, { version: "", names: new Map() });
    this.setListedVersion(prefix, "");
    for (const name of names) this.setName(prefix, name, before?.get(name) ?? null);
  }

  /** Makes the next plan list the prefix. */
  dropListing(prefix: string): void {
    this.#run("DELETE FROM known_name WHERE prefix = ?", prefix);
    this.#run("DELETE FROM known_prefix WHERE prefix = ?", prefix);
    this.#listings.delete(prefix);
  }

  setListedVersion(prefix: string, version: string): void {
    this.#run("INSERT OR REPLACE INTO known_prefix VALUES (?, ?)", prefix, version);
    const listing = this.#listings.get(prefix);
    if (listing !== undefined) listing.version = version;
  }

  /** `unnamedSince` in epoch ms; null while a stored object refers to it. */
  setName(prefix: string, name: string, unnamedSince: number | null): void {
    this.#run("INSERT OR REPLACE INTO known_name VALUES (?, ?, ?)", prefix, name, unnamedSince);
    this.#listings.get(prefix)?.names.set(name, unnamedSince);
  }

  deleteName(prefix: string, name: string): void {
    this.#run("DELETE FROM known_name WHERE prefix = ? AND name = ?", prefix, name);
    this.#listings.get(prefix)?.names.delete(name);
  }

  /** Deletes everything except `meta`, because another publisher may have written since. */
  forgetAll(): void {
    for (const table of ["known", "known_progress", "known_prefix", "known_name"]) this.#run(`DELETE FROM ${table}`);
    this.#save();
    for (const memory of [this.#objects, this.#progress, this.#listings, this.#bodies]) memory.clear();
    for (const memory of [this.#unread, this.#unreadProgress, this.#faultyTiles, this.unlisted]) memory.clear();
    this.log = undefined;
  }

  meta(name: MetaName): string | undefined {
    const sql = "SELECT value FROM meta WHERE name = ?";
    return readValue<string>(this.#db, sql, name);
  }

  setMeta(name: MetaName, value: string): void {
    if (this.meta(name) === value) return;
    this.#run("INSERT OR REPLACE INTO meta VALUES (?, ?)", name, value);
    if (name !== "at") this.#save();
  }

  /** Commits changes that are old enough. `now` is monotonic (ms). Throws `Failure` disk_full. */
  saveIfDue(now: number): void {
    if (!this.#db.inTransaction) return this.#guarded(() => this.#checkpoint.look(now));
    this.#unsavedSince ??= now;
    if (now - this.#unsavedSince >= SAVE_EVERY_MS) this.#save();
  }

  close(): void {
    try {
      if (!this.#lacksRows) this.setMeta("open", "no");
    } finally {
      this.#db.close();
    }
  }

  #load(): void {
    const rows = (sql: string) => statement<[], Record<string, string | number | null>>(this.#db, sql).iterate();
    const doubted = JSON.parse(this.meta("doubted") ?? "[]") as [string, number][];
    for (const [key, at] of doubted) this.#doubted.set(key, at);
    for (const row of rows("SELECT * FROM known")) this.#objects.set(String(row.key), objectOf(row));
    for (const { installation, log, position, tag, size, root } of rows("SELECT * FROM known_progress")) {
      const progress = {
        log: Number(log),
        position: Number(position),
        tag: tag === null ? null : String(tag),
        point: root === null ? null : { size: Number(size), root: String(root) },
      };
      this.#progress.set(String(installation), progress);
    }
    for (const { prefix, version } of rows("SELECT * FROM known_prefix")) {
      this.#listings.set(String(prefix), { version: String(version), names: new Map() });
    }
    for (const { prefix, name, unnamed_since: since } of rows("SELECT * FROM known_name")) {
      this.#listings.get(String(prefix))?.names.set(String(name), since === null ? null : Number(since));
    }
  }

  /** Changes a row. `saveIfDue` commits it later. Throws `Failure` disk_full. */
  #run(sql: string, ...values: readonly (string | number | null)[]): void {
    this.#guarded(() => {
      if (!this.#db.inTransaction) this.#db.exec("BEGIN IMMEDIATE");
      statement(this.#db, sql).run(...values);
    });
  }

  #save(): void {
    this.#guarded(() => {
      if (this.#db.inTransaction) this.#db.exec("COMMIT");
    });
    const body = this.#checkpointBody;
    if (body !== undefined && this.#directory !== undefined) writeCheckpoint(checkpointFile(this.#directory), body);
    this.#checkpointBody = undefined;
    this.#unsavedSince = undefined;
  }

  #guarded(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.#lacksRows = true;
      throw sqliteFailure(error, this.#db.name, "state", "write");
    }
  }
}

/** Throws `Failure` state_unusable, and a full disk's error unchanged. */
function writeCheckpoint(path: string, body: Uint8Array): void {
  try {
    replaceFile(path, body, 0o644);
  } catch (cause) {
    if (isDiskFull(cause)) throw cause;
    const hint = "If the state directory was removed, start the publisher again: it makes a new one from the store.";
    throw new Failure("state_unusable", `${path} cannot be written: ${errorMessage(cause)}`, { hint, cause });
  }
}

/**
 * - `open`: "yes" while a process uses the file, and after it was killed.
 * - `at`: the last published instant (epoch ms). It never goes back.
 * - `epoch`, `writer`, `store`: of the last lease held.
 * - `requests`: counts of requests (`request-tally.ts`).
 * - `doubted`: puts that may still arrive.
 */
type MetaName = "open" | "at" | "epoch" | "writer" | "store" | "lease" | "requests" | "doubted";

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

/** A publisher works with the state directory. */
export const IN_USE = Symbol("in use");

/** Returns the name of the store to which a publisher with this directory published last; undefined if that cannot be read. */
export function storeOfState(directory: string): string | typeof IN_USE | undefined {
  try {
    const db = new SqliteDatabase(stateFile(directory), { readonly: true, fileMustExist: true, timeout: 0 });
    try {
      return db.prepare<[], string>("SELECT value FROM meta WHERE name = 'store'").pluck().get();
    } finally {
      db.close();
    }
  } catch (error) {
    // Otherwise it is missing or damaged.
    return systemCode(error)?.startsWith("SQLITE_BUSY") === true ? IN_USE : undefined;
  }
}
