/** Names of the objects below listed prefixes, and since when no stored object refers to them. */
import type { StateRows } from "./state-rows.ts";

/** Objects below a prefix: name → the time since which no stored object refers to it (epoch ms; null: one does). */
type Listing = Map<string, number | null>;

export const LISTING_TABLES = `
CREATE TABLE IF NOT EXISTS known_prefix (prefix TEXT PRIMARY KEY, version TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS known_name (
  prefix TEXT NOT NULL, name TEXT NOT NULL, unnamed_since INTEGER, PRIMARY KEY (prefix, name)
) STRICT, WITHOUT ROWID;`;

export class KnownListings {
  readonly #rows: StateRows;
  readonly #listings = new Map<string, { version: string; readonly names: Listing }>();

  constructor(rows: StateRows) {
    this.#rows = rows;
    for (const { prefix, version } of rows.read("SELECT * FROM known_prefix")) {
      this.#listings.set(String(prefix), { version: String(version), names: new Map() });
    }
    for (const { prefix, name, unnamed_since: since } of rows.read("SELECT * FROM known_name")) {
      this.#listings.get(String(prefix))?.names.set(String(name), since === null ? null : Number(since));
    }
  }

  /** Returns undefined if the prefix was never listed. */
  names(prefix: string): ReadonlyMap<string, number | null> | undefined {
    return this.#listings.get(prefix)?.names;
  }

  /** Returns the version of the tile set whose objects are all stored; "" if there is none. */
  version(prefix: string): string {
    return this.#listings.get(prefix)?.version ?? "";
  }

  prefixes(): Iterable<string> {
    return this.#listings.keys();
  }

  /** Replaces the names below a prefix by the listed ones. */
  remember(prefix: string, names: Iterable<string>): void {
    const before = this.#listings.get(prefix)?.names;
    this.#rows.run("DELETE FROM known_name WHERE prefix = ?", prefix);
    this.#listings.set(prefix, { version: "", names: new Map() });
    this.setVersion(prefix, "");
    for (const name of names) this.setName(prefix, name, before?.get(name) ?? null);
  }

  /** Makes the next plan list the prefix. */
  drop(prefix: string): void {
    this.#rows.run("DELETE FROM known_name WHERE prefix = ?", prefix);
    this.#rows.run("DELETE FROM known_prefix WHERE prefix = ?", prefix);
    this.#listings.delete(prefix);
  }

  setVersion(prefix: string, version: string): void {
    this.#rows.run("INSERT OR REPLACE INTO known_prefix VALUES (?, ?)", prefix, version);
    const listing = this.#listings.get(prefix);
    if (listing !== undefined) listing.version = version;
  }

  /** `unnamedSince` in epoch ms; null while a stored object refers to it. */
  setName(prefix: string, name: string, unnamedSince: number | null): void {
    this.#rows.run("INSERT OR REPLACE INTO known_name VALUES (?, ?, ?)", prefix, name, unnamedSince);
    this.#listings.get(prefix)?.names.set(name, unnamedSince);
  }

  deleteName(prefix: string, name: string): void {
    this.#rows.run("DELETE FROM known_name WHERE prefix = ? AND name = ?", prefix, name);
    this.#listings.get(prefix)?.names.delete(name);
  }

  forgetAll(): void {
    for (const table of ["known_prefix", "known_name"]) this.#rows.run(`DELETE FROM ${table}`);
    this.#listings.clear();
  }
}
