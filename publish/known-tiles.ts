/** How far the observations of each installation are stored, and which of their tiles must be rewritten. */
import type { LogPoint } from "../src/ledger/log.ts";
import type { StoreTag } from "../src/object-store/object-store.ts";
import type { KnownObjects } from "./known-objects.ts";
import type { StateRows } from "./state-rows.ts";

/** The end of the stored observations of one installation. */
export interface TileProgress {
  /** The number of the log. */
  readonly log: number;
  readonly position: number;
  /** The tag of the tile that holds `position`, and the state of the log from which it was put; null if there is none. */
  readonly tag: StoreTag | null;
  readonly point: LogPoint | null;
}

export const PROGRESS_TABLE = `
CREATE TABLE IF NOT EXISTS known_progress (
  installation TEXT PRIMARY KEY, log INTEGER NOT NULL, position INTEGER NOT NULL, tag TEXT, size INTEGER, root TEXT
) STRICT, WITHOUT ROWID;`;

export class KnownTiles {
  readonly #rows: StateRows;
  readonly #objects: KnownObjects;
  readonly #progress = new Map<string, TileProgress>();
  /** Installations whose progress must be compared with the store. */
  readonly #unread = new Set<string>();
  /** Keys of tiles and bundles below the end that are damaged or absent. */
  readonly #faulty = new Set<string>();

  constructor(rows: StateRows, objects: KnownObjects) {
    this.#rows = rows;
    this.#objects = objects;
    for (const { installation, log, position, tag, size, root } of rows.read("SELECT * FROM known_progress")) {
      this.#progress.set(String(installation), {
        log: Number(log),
        position: Number(position),
        tag: tag === null ? null : String(tag),
        point: root === null ? null : { size: Number(size), root: String(root) },
      });
    }
  }

  /** Returns undefined if the progress was never looked up, or must be read again. */
  progress(installationId: string): TileProgress | undefined {
    return this.#unread.has(installationId) ? undefined : this.#progress.get(installationId);
  }

  /** Returns the last progress, even if it must be read again. */
  progressFloor(installationId: string): TileProgress | undefined {
    return this.#progress.get(installationId);
  }

  rememberProgress(installationId: string, progress: TileProgress): void {
    const sql = "INSERT OR REPLACE INTO known_progress VALUES (?, ?, ?, ?, ?, ?)";
    const { log, position, tag, point } = progress;
    this.#rows.run(sql, installationId, log, position, tag, point?.size ?? null, point?.root ?? null);
    this.#progress.set(installationId, progress);
    this.#unread.delete(installationId);
  }

  /** Makes the next plan look up the end of the tiles. */
  forgetProgress(installationId: string): void {
    if (!this.#progress.has(installationId)) return;
    this.#rows.run("DELETE FROM known_progress WHERE installation = ?", installationId);
    this.#unread.add(installationId);
  }

  /** Makes the next plan compare the progress with the store. */
  readAgain(installationId: string): void {
    if (this.#progress.has(installationId)) this.#unread.add(installationId);
  }

  everyProgress(): Iterable<readonly [installationId: string, progress: TileProgress]> {
    return this.#progress;
  }

  /** Returns the keys of tiles below the end that must be rewritten. */
  faulty(prefix: string): string[] {
    return [...this.#faulty].filter((key) => key.startsWith(prefix));
  }

  /** Records that an observation tile or a bundle must be rewritten. `tag` as in `KnownObjects.rememberFaulty`. */
  rememberFaulty(key: string, tag: StoreTag | null): void {
    this.#objects.rememberFaulty(key, tag);
    this.#faulty.add(key);
  }

  rememberRewritten(key: string): void {
    this.#objects.drop(key);
    this.#faulty.delete(key);
  }

  forgetAll(): void {
    this.#rows.run("DELETE FROM known_progress");
    for (const memory of [this.#progress, this.#unread, this.#faulty]) memory.clear();
  }
}
