/**
 * What the publisher remembers of each object it has put, in its own SQLite file: moved only after the put is
 * confirmed, trusted only while nobody else has held the lease in between. What is lost is read back from the store.
 */
import { readFileSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import SqliteDatabase, { type Database } from "better-sqlite3";
import { isDiskFull } from "../../src/files/disk-full.ts";
import { makeDirectory } from "../../src/files/make-directory.ts";
import { makePrivateFile, PRIVATE_MODE } from "../../src/files/private-file.ts";
import { replaceFile } from "../../src/files/write-all.ts";
import type { StoreTag } from "../../src/object-store/object-store.ts";
import type { AnswerState, Asof } from "../../src/object-store/stored-answer.ts";
import { IdleCheckpoint } from "../../src/sqlite/idle-checkpoint.ts";
import { sqliteFailure } from "../../src/sqlite/sqlite-failure.ts";
import { statement } from "../../src/sqlite/statement.ts";
import { EXIT, Failure } from "../../src/values/failure.ts";
import { formatTimestamp } from "../../src/values/timestamp.ts";

export interface PublishedObject {
  readonly key: string;
  readonly tag: StoreTag;
  /** The answer's own identity, then its successors'; empty for objects that are no answers. */
  readonly states: readonly AnswerState[];
  readonly asof: Asof;
  readonly status: number;
  readonly bytes: number;
  readonly etag: string | null;
  /** Epoch ms of the put, for floors. */
  readonly putAt: number;
}

/** How far the tiles of one installation's observations are in the store. */
export interface TileProgress {
  readonly history: string;
  readonly position: number;
  /** Of the tile that holds `position`. */
  readonly tag: StoreTag | null;
}

const SCHEMA = `
CREATE TABLE IF NOT EXISTS object (
  key TEXT PRIMARY KEY, tag TEXT NOT NULL, states TEXT NOT NULL, asof TEXT NOT NULL, status INTEGER NOT NULL,
  bytes INTEGER NOT NULL, etag TEXT, put_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS tiles (
  installation TEXT PRIMARY KEY, history TEXT NOT NULL, position INTEGER NOT NULL, tag TEXT
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
`;

/** A row is committed at most this long after it came (ms): a commit writes whole pages, and the next often the same. */
const SAVE_EVERY_MS = 30_000;

/** In the state directory: a machine that has it has published. */
export const PUBLISHED_FILE = "published.db";

export class Published {
  readonly #db: Database;
  readonly #objects = new Map<string, PublishedObject>();
  readonly #checkpoint: IdleCheckpoint;
  /** Since when rows wait for their commit, by a clock that never jumps (ms). */
  #unsavedSince: number | undefined;
  /** A write failed: the file may lack rows that are remembered here, so it is never said to be complete. */
  #lacksRows = false;

  private constructor(db: Database) {
    this.#db = db;
    this.#checkpoint = new IdleCheckpoint(db);
    const rows = statement<[], Record<string, string | number | null>>(db, "SELECT * FROM object").all();
    for (const row of rows) this.#objects.set(String(row.key), objectOf(row));
  }

  /** Takes the state directory for this process until `close`: a second process gets `Failure` state_locked. */
  static open(directory: string): Published {
    const path = join(directory, PUBLISHED_FILE);
    try {
      makeDirectory(directory);
      makePrivateFile(path);
      const db = new SqliteDatabase(path, { timeout: 0 });
      // Held by the kernel for the life of the process: a killed one leaves no lock behind.
      db.pragma("locking_mode = EXCLUSIVE");
      // Not synced at each put: what a power cut takes is read back from the store, which has it.
      db.pragma("journal_mode = WAL");
      db.pragma("synchronous = NORMAL");
      db.exec(`BEGIN EXCLUSIVE;${SCHEMA}COMMIT;`);
      nameUser(directory);
      return Published.#begun(db);
    } catch (cause) {
      const code = (cause as { code?: string }).code ?? "";
      if (code.startsWith("SQLITE_BUSY")) {
        throw new Failure("state_locked", `${userOf(directory)} uses the state directory ${directory}`, {
          exit: EXIT.locked,
          hint: "Let it finish, or give this one a state directory of its own (--state).",
          cause,
        });
      }
      const told = sqliteFailure(cause, path, "state", "write");
      if (isDiskFull(told)) throw told;
      const { message, hint } = told as Partial<Failure>;
      const isDamage = /^SQLITE_(?:CORRUPT|NOTADB)/.test(code);
      throw new Failure("state_unusable", message ?? String(cause), {
        exit: EXIT.io,
        hint: isDamage || hint === undefined ? `Delete ${path}: it is rebuilt from the store.` : hint,
        cause,
      });
    }
  }

  /**
   * If the last process did not close the file, what it remembers may be older than the store: an object that changed
   * and changed back would pass for unchanged. Then nothing is remembered. The mark of a process at work is synced.
   */
  static #begun(db: Database): Published {
    const published = new Published(db);
    if (published.meta("open") === "yes") published.forgetAll();
    db.pragma("synchronous = FULL");
    published.setMeta("open", "yes");
    db.pragma("synchronous = NORMAL");
    return published;
  }

  /** For a dry run or a render: nothing on disk, nothing known. */
  static inMemory(): Published {
    const db = new SqliteDatabase(":memory:");
    db.exec(SCHEMA);
    return new Published(db);
  }

  get(key: string): PublishedObject | undefined {
    return this.#objects.get(key);
  }

  all(): Iterable<PublishedObject> {
    return this.#objects.values();
  }

  remember(object: PublishedObject): void {
    const sql = "INSERT OR REPLACE INTO object VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
    const { key, tag, states, asof, status, bytes, etag, putAt } = object;
    this.#run(sql, key, tag, JSON.stringify(states), JSON.stringify(asof), status, bytes, etag, putAt);
    this.#objects.set(key, object);
  }

  forget(key: string): void {
    this.#run("DELETE FROM object WHERE key = ?", key);
    this.#objects.delete(key);
  }

  tiles(installationId: string): TileProgress | undefined {
    const sql = "SELECT history, position, tag FROM tiles WHERE installation = ?";
    return statement<[string], TileProgress>(this.#db, sql).get(installationId);
  }

  rememberTiles(installationId: string, progress: TileProgress): void {
    const sql = "INSERT OR REPLACE INTO tiles VALUES (?, ?, ?, ?)";
    this.#run(sql, installationId, progress.history, progress.position, progress.tag);
  }

  /** Everything but the rest of what `meta` says: another publisher may have written since. */
  forgetAll(): void {
    this.#run("DELETE FROM object");
    this.#run("DELETE FROM tiles");
    this.#run("DELETE FROM meta WHERE name = 'site'");
    this.#save();
    this.#objects.clear();
  }

  meta(name: MetaName): string | undefined {
    const sql = "SELECT value FROM meta WHERE name = ?";
    return statement<[string], string>(this.#db, sql).pluck().get(name) as string | undefined;
  }

  setMeta(name: MetaName, value: string): void {
    if (this.meta(name) === value) return;
    this.#run("INSERT OR REPLACE INTO meta VALUES (?, ?)", name, value);
    if (name !== "at") this.#save();
  }

  /** Commits what has waited long enough at `now` (ms, by a clock that never jumps). Throws as `remember` does. */
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

  /** Waits for its commit. Throws `Failure`: disk_full. */
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

/** Who has the state directory; its time is since when. Read only while somebody has. */
const USER_FILE = "user";

/** By rename: whoever is refused at this very moment reads a whole name. */
function nameUser(directory: string): void {
  const path = join(directory, USER_FILE);
  replaceFile(path, Buffer.from(`${hostname()} process ${process.pid}\n`), PRIVATE_MODE);
}

function userOf(directory: string): string {
  const path = join(directory, USER_FILE);
  try {
    return `${readFileSync(path, "utf8").trim()} (since ${formatTimestamp(Math.floor(statSync(path).mtimeMs))})`;
  } catch {
    return "another publisher";
  }
}

/** `open`: whether a process has the file, or was killed with it. `at`: the last instant computed for, which never goes back. `epoch`, `writer`, `store`: of the last lease held.
 * `site`: the pages whose assets were dated, or `off`; `assets`: since when each has been unnamed. `requests`: what was
 * asked of the store (`request-tally.ts`). */
type MetaName = "open" | "at" | "epoch" | "writer" | "store" | "site" | "assets" | "requests";

function objectOf(row: Record<string, string | number | null>): PublishedObject {
  return {
    key: String(row.key),
    tag: String(row.tag),
    states: JSON.parse(String(row.states)) as AnswerState[],
    asof: JSON.parse(String(row.asof)) as Asof,
    status: Number(row.status),
    bytes: Number(row.bytes),
    etag: row.etag === null ? null : String(row.etag),
    putAt: Number(row.put_at),
  };
}
