/**
 * The ledger's log: every accepted record of every installation in one order, the order of acceptance
 * (docs/spec/intake.md#log). A ledger contains what another one had at a size if it has the same root at that size.
 */
import type { Database } from "better-sqlite3";
import { Edge, hashesOf, joinedHash, leafHash, rootAt, SUBTREE_WIDTH, type SubtreeReader } from "../log/tree.ts";
import { eachRow, type ReadOnlyDatabase, readNumber, readValue, readValues, statement } from "../sqlite/statement.ts";
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
  const known = readEnds(ledger);
  return known.roots.has(size) || size <= logSize(ledger) ? rootFrom(ledger, size, known) : undefined;
}

/** Returns the root of the first `size` entries (base64). The log must have as many. */
export function rootWithin(ledger: ReadOnlyDatabase, size: number): string {
  return rootFrom(ledger, size, readEnds(ledger));
}

function rootFrom(ledger: ReadOnlyDatabase, size: number, { roots, ends }: ReadEnds): string {
  let root = roots.get(size);
  if (root === undefined) {
    const read: SubtreeReader = (level, from, to) => endAt(ledger, level, from, ends).edge.hashes(to - from);
    const join = (level: number, hashes: readonly Buffer[], from: number, to: number) =>
      ends.get(level)?.edge.joined(from, to) ?? joinedHash(hashes, from, to);
    root = rootAt(size, read, join).toString("base64");
    roots.set(size, root);
  }
  return root;
}

/** The log's end as a connection has read it. */
interface ReadEnds {
  /** The state of the file. */
  version: string;
  /** True in a read transaction, in which the log does not change. */
  isFixed: boolean;
  /** By size: a plan asks for the same few sizes again and again. */
  readonly roots: Map<number, string>;
  /** The hashes after the last whole subtree, by level. */
  readonly ends: Map<number, End>;
}

interface End {
  /** The number of the first hash. */
  readonly from: number;
  readonly edge: Edge;
}

const memo = new WeakMap<ReadOnlyDatabase, ReadEnds>();

/** Calls `read`, which runs in one read transaction. Whether the log has changed is found out once. */
export function withFixedLog<T>(ledger: ReadOnlyDatabase, read: () => T): T {
  const known = readEnds(ledger);
  known.isFixed = true;
  try {
    return read();
  } finally {
    known.isFixed = false;
  }
}

function readEnds(ledger: ReadOnlyDatabase): ReadEnds {
  let known = memo.get(ledger);
  if (known?.isFixed === true) return known;
  // The first number changes with the commits of others, the second with this connection's own changes.
  const version = `${readNumber(ledger, "PRAGMA data_version")} ${readNumber(ledger, "SELECT total_changes()")}`;
  if (known === undefined) memo.set(ledger, (known = { version, isFixed: false, roots: new Map(), ends: new Map() }));
  if (known.version !== version) {
    known.version = version;
    readAgain(ledger, known);
  }
  return known;
}

/** Called after a commit. Reads the ends again, and keeps the roots that are computed from unchanged hashes. */
function readAgain(ledger: ReadOnlyDatabase, { roots, ends }: ReadEnds): void {
  for (const [level, { from, edge }] of ends) if (!edge.put(endText(ledger, level, from))) roots.clear();
  for (const size of roots.keys()) if (!endsAt(size, ends)) roots.delete(size);
}

/** True if the root of this size is computed from these ends. */
function endsAt(size: number, ends: ReadEnds["ends"]): boolean {
  for (let level = 0, count = size; count > 0; level++, count = Math.floor(count / SUBTREE_WIDTH)) {
    const width = count % SUBTREE_WIDTH;
    if (width > 0 && ends.get(level)?.from !== count - width) return false;
  }
  return true;
}

function endAt(ledger: ReadOnlyDatabase, level: number, from: number, ends: ReadEnds["ends"]): End {
  const known = ends.get(level);
  if (known?.from === from) return known;
  const end = { from, edge: new Edge() };
  end.edge.put(endText(ledger, level, from));
  ends.set(level, end);
  return end;
}

function endText(ledger: ReadOnlyDatabase, level: number, from: number): string {
  return hashesText(ledger, level, from, from + SUBTREE_WIDTH);
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

/** Returns the hashes `from` to `to - 1` of a level: of entries, or of subtrees of 256 hashes of the level below. */
export function subtreeHashes(ledger: ReadOnlyDatabase, level: number, from: number, to: number): Buffer[] {
  return hashesOf(hashesText(ledger, level, from, to));
}

/** Returns the same hashes as hexadecimal digits, in one row, which takes a tenth of the time; fewer at the log's end. */
function hashesText(ledger: ReadOnlyDatabase, level: number, from: number, to: number): string {
  const text =
    level === 0
      ? readValue<string>(ledger, LEAVES_TEXT, from, to)
      : readValue<string>(ledger, SUBTREES_TEXT, level, from, to);
  return text ?? "";
}

const LEAVES_TEXT = `SELECT group_concat(hex(leaf), '')
FROM (SELECT leaf FROM entry WHERE entry_index >= ? AND entry_index < ? ORDER BY entry_index)`;
const SUBTREES_TEXT = `SELECT group_concat(hex(hash), '')
FROM (SELECT hash FROM subtree WHERE level = ? AND number >= ? AND number < ? ORDER BY number)`;

/** Iterates the texts of the entries `from` to `to - 1`, in order. Rows are read lazily. */
export function* entryTexts(ledger: ReadOnlyDatabase, from: number, to: number): Generator<string> {
  for (const row of eachRow<EntryRow>(ledger, ENTRIES, from, to)) {
    yield row.record === null ? receiptText(row.installationId, row) : row.record;
  }
}

/** Returns the text of each installation's last entry. */
export function newestTexts(ledger: ReadOnlyDatabase): string[] {
  const last = "SELECT max(entry_index) FROM entry GROUP BY installation ORDER BY installation";
  return readValues<number>(ledger, last).flatMap((index) => [...entryTexts(ledger, index, index + 1)]);
}

/** A receipt's text is made from its columns, because most entries are receipts. The others keep their text. */
type EntryRow = { readonly installationId: string } & (
  | { readonly record: string }
  | ({ readonly record: null } & Receipt)
);

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
