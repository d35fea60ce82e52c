/**
 * Checks that a ledger is intact, as far as bounded time allows (docs/spec/publishing.md#damage). The file must have its
 * full length, its pages must be readable, and its tables must hold as many facts as its watermarks count. A small file
 * is read completely. For a large one, both ends of every table and index are read.
 */
import { statSync } from "node:fs";
import type { Database } from "better-sqlite3";
import { damageOf } from "../sqlite/sqlite-failure.ts";
import { readNumber, readRows, readValue, readValues } from "../sqlite/statement.ts";
import { ledgerDamaged } from "./ledger-failure.ts";
import type { FactKind } from "./schema.ts";

/** Files up to this size are read completely, which takes about 0.2 s. */
const WHOLE_BYTES = 64 << 20;
/** Rows read at each end of a table or index of a larger file. */
const END_ROWS = 2000;
/** Number of watermarks compared with the tables, newest installations first, and the most rows counted for one. */
const WATERMARKS_LIMIT = 1000;
const COUNTED_ROWS = 100_000;

/**
 * Checks one state of the ledger, because intake may be writing into it. Throws `Failure` ledger_damaged, and errors of
 * SQLite unchanged.
 */
export function checkLedger(db: Database): void {
  db.transaction(() => checkState(db))();
}

function checkState(db: Database): void {
  const bytes = readNumber(db, "PRAGMA page_count") * readNumber(db, "PRAGMA page_size");
  checkLength(db, bytes);
  if (bytes <= WHOLE_BYTES) {
    const damage = damageOf(db);
    if (damage !== undefined) throw ledgerDamaged(db.name, damage);
  } else readEnds(db);
  checkCounts(db);
}

/** A file may be shorter than the ledger while the -wal file holds pages that are not copied yet. */
function checkLength(db: Database, bytes: number): void {
  const size = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (db.memory || size(`${db.name}-wal`) > 0 || size(db.name) >= bytes) return;
  throw ledgerDamaged(db.name, `the file has ${size(db.name)} of ${bytes} bytes`);
}

function readEnds(db: Database): void {
  const tables = readValues<string>(db, "SELECT name FROM sqlite_schema WHERE type = 'table'");
  for (const table of tables) {
    const columns = readRows<{ name: string; pk: number }>(db, `PRAGMA table_info(${table})`);
    const key = columns.filter(({ pk }) => pk > 0).map(({ name }) => name);
    readBothEnds(db, `SELECT * FROM ${table}`, key);
  }
  const indexes = readRows<{ name: string; tableName: string }>(
    db,
    "SELECT name, tbl_name AS tableName FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL AND sql NOT LIKE '%WHERE%'",
  );
  for (const { name, tableName } of indexes) {
    const columns = readRows<{ name: string }>(db, `PRAGMA index_info(${name})`).map((column) => column.name);
    readBothEnds(db, `SELECT ${columns.join(", ")} FROM ${tableName} INDEXED BY ${name}`, columns);
  }
}

function readBothEnds(db: Database, select: string, key: readonly string[]): void {
  for (const direction of ["ASC", "DESC"]) {
    const order = key.map((column) => `${column} ${direction}`).join(", ");
    for (const _ of db.prepare(`${select} ORDER BY ${order} LIMIT ${END_ROWS}`).iterate()) continue;
  }
}

/** The table with one row for each accepted fact of a kind; null if later facts replace or complete earlier rows. */
const TABLES: Readonly<Record<FactKind, string | null>> = {
  receipt: "receipt",
  epoch: "epoch_approval",
  module: null,
  round: "round",
  closure: "closure",
  oracle: "oracle_block",
  submission: "submission_record",
  reporter_run: null,
  settlement_control: "settlement_control",
};

function checkCounts(db: Database): void {
  type Mark = { installation: number; kind: FactKind; value: number };
  const marks = readRows<Mark>(
    db,
    `SELECT * FROM watermark ORDER BY installation DESC, kind LIMIT ${WATERMARKS_LIMIT}`,
  );
  for (const { installation, kind, value } of marks) {
    const table = TABLES[kind];
    // Positions of receipts have no gaps, so the last one is their number.
    if (!table || (kind !== "receipt" && value > COUNTED_ROWS)) continue;
    const counted = kind === "receipt" ? "ifnull(max(position), 0)" : "count(*)";
    const rows = readValue<number>(db, `SELECT ${counted} FROM ${table} WHERE installation = ?`, installation);
    if (rows !== value) throw ledgerDamaged(db.name, `it holds ${rows} of ${value} ${kind} records`);
  }
}
