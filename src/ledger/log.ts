/**
 * The ledger's log: every accepted record of every installation in one order, the order of acceptance
 * (docs/spec/intake.md#log). A ledger contains what another one had at a size if it has the same root at that size.
 */
import type { Database } from "better-sqlite3";
import { joinedHash, leafHash, rootAt, SUBTREE_WIDTH } from "../log/tree.ts";
import { eachRow, type ReadOnlyDatabase, readNumber, readValues, statement } from "../sqlite/statement.ts";
import { receiptText } from "./entry.ts";
import { RECEIPT_FIELDS, type Receipt } from "./read/receipts.ts";

/** A state of a log: the number of its entries and their root (base64). */
export interface LogPoint {
  readonly size: number;
  readonly root: string;
}

/** Returns the number of entries. */
export function logSize(ledger: ReadOnlyDatabase): number {
  return readNumber(ledger, "SELECT ifnull(max(entry_index), -1) + 1 FROM entry");
}

/** Returns the root of the first `size` entries (base64); undefined if the log is shorter. */
export function rootOf(ledger: ReadOnlyDatabase, size: number): string | undefined {
  return knownRoots(ledger).has(size) || size <= logSize(ledger) ? rootWithin(ledger, size) : undefined;
}

/** Returns the root of the first `size` entries (base64). The log must have as many. */
export function rootWithin(ledger: ReadOnlyDatabase, size: number): string {
  const roots = knownRoots(ledger);
  let root = roots.get(size);
  if (root === undefined) {
    root = rootAt(size, (level, from, to) => subtreeHashes(ledger, level, from, to)).toString("base64");
    roots.set(size, root);
  }
  return root;
}

interface KnownRoots {
  readonly version: number;
  readonly bySize: Map<number, string>;
}

const memo = new WeakMap<ReadOnlyDatabase, KnownRoots>();

/** Roots by size, computed once for each state of the file: a plan asks for the same few sizes again and again. */
function knownRoots(ledger: ReadOnlyDatabase): Map<number, string> {
  const version = readNumber(ledger, "PRAGMA data_version");
  let known = memo.get(ledger);
  if (known === undefined || known.version !== version) memo.set(ledger, (known = { version, bySize: new Map() }));
  return known.bySize;
}

/** Returns the whole log's size and root. */
export function logPoint(ledger: ReadOnlyDatabase): LogPoint {
  const size = logSize(ledger);
  return { size, root: rootWithin(ledger, size) };
}

/** True if the log begins with the entries of that point. */
export function contains(ledger: ReadOnlyDatabase, { size, root }: LogPoint): boolean {
  return rootOf(ledger, size) === root;
}

/** Returns the hashes `from` to `to - 1` of a level: of entries, or of whole subtrees of 256 hashes of the level below. */
export function subtreeHashes(ledger: ReadOnlyDatabase, level: number, from: number, to: number): Buffer[] {
  if (level === 0) {
    const leaves = "SELECT leaf FROM entry WHERE entry_index >= ? AND entry_index < ? ORDER BY entry_index";
    return readValues<Buffer>(ledger, leaves, from, to);
  }
  const subtrees = "SELECT hash FROM subtree WHERE level = ? AND number >= ? AND number < ? ORDER BY number";
  return readValues<Buffer>(ledger, subtrees, level, from, to);
}

export interface Changes {
  readonly now: LogPoint;
  /** Row ids of the changed installations, ascending; undefined if any may have changed. */
  readonly installations: readonly number[] | undefined;
}

/**
 * Returns the installations that have entries after a point, in time linear in the number of entries. All may have changed
 * if there is no point, or if this log does not contain the point because another ledger took its place.
 */
export function changedSince(ledger: ReadOnlyDatabase, since: LogPoint | undefined): Changes {
  const now = logPoint(ledger);
  if (since === undefined || !contains(ledger, since)) return { now, installations: undefined };
  const changed = readValues<number>(ledger, CHANGED, since.size);
  return { now, installations: changed.sort((one, other) => one - other) };
}

const CHANGED = "SELECT DISTINCT installation FROM entry WHERE entry_index >= ?";

/** Iterates the texts of the entries `from` to `to - 1`, in order. Rows are read lazily. */
export function* entryTexts(ledger: ReadOnlyDatabase, from: number, to: number): Generator<string> {
  for (const row of eachRow<EntryRow>(ledger, ENTRIES, from, to)) {
    yield row.record ?? receiptText(row.installationId, row as Receipt);
  }
}

/** Returns the texts of the first `size` entries that are no receipts, in order. */
export function recordTexts(ledger: ReadOnlyDatabase, size: number): string[] {
  const records = "SELECT record FROM entry WHERE entry_index < ? AND record IS NOT NULL ORDER BY entry_index";
  return readValues<string>(ledger, records, size);
}

/** Returns the text of each installation's last entry. */
export function newestTexts(ledger: ReadOnlyDatabase): string[] {
  const last = "SELECT max(entry_index) FROM entry GROUP BY installation ORDER BY installation";
  return readValues<number>(ledger, last).flatMap((index) => [...entryTexts(ledger, index, index + 1)]);
}

/** A receipt's text is made from its columns, because most entries are receipts. The others keep their text. */
type EntryRow = { readonly installationId: string; readonly record: string | null } & Partial<Receipt>;

const ENTRIES = `
SELECT installation.id AS installationId, record, ${RECEIPT_FIELDS}
FROM entry JOIN installation ON installation.no = entry.installation
LEFT JOIN receipt ON receipt.installation = entry.installation AND receipt.position = entry.position
WHERE entry_index >= ? AND entry_index < ? ORDER BY entry_index`;

/** Appends entries within the transactions of intake. */
export class LogWriter {
  readonly #db: Database;
  #size = 0;
  /** The leaf hashes after the last whole subtree; undefined until they are read. */
  #leaves: Buffer[] | undefined;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Must be called after a rollback, and if another process may have appended: the log's end is read again. */
  forget(): void {
    this.#leaves = undefined;
  }

  /** Appends an accepted record of an installation (row id). `position`: of a receipt, whose text is not stored. */
  append(installation: number, text: string, position: number | null): void {
    const leaves = (this.#leaves ??= this.#readEnd());
    const leaf = leafHash(text);
    statement(this.#db, INSERT).run(this.#size, installation, position, position === null ? text : null, leaf);
    this.#size++;
    if (leaves.push(leaf) < SUBTREE_WIDTH) return;
    this.#leaves = [];
    this.#addSubtree(1, this.#size / SUBTREE_WIDTH - 1, joinedHash(leaves));
  }

  #readEnd(): Buffer[] {
    this.#size = logSize(this.#db);
    return subtreeHashes(this.#db, 0, this.#size - (this.#size % SUBTREE_WIDTH), this.#size);
  }

  #addSubtree(level: number, number: number, hash: Buffer): void {
    statement(this.#db, "INSERT INTO subtree VALUES (?, ?, ?)").run(level, number, hash);
    const count = number + 1;
    if (count % SUBTREE_WIDTH !== 0) return;
    const joined = joinedHash(subtreeHashes(this.#db, level, count - SUBTREE_WIDTH, count));
    this.#addSubtree(level + 1, count / SUBTREE_WIDTH - 1, joined);
  }
}

const INSERT = "INSERT INTO entry VALUES (?, ?, ?, ?, ?)";
