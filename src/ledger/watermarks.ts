/** Shows in one small read what has changed in the ledger: the number of facts of each kind per installation. */
import { type ReadOnlyDatabase, readRow, readRows, readValue } from "../sqlite/statement.ts";
import { FACT_KINDS, type FactKind } from "./schema.ts";

/** Accepted facts by kind; 0 if there is none. They only grow. */
export type Watermarks = Record<FactKind, number>;

/** `rowId` is what the column `installation` of the ledger's tables holds. */
export interface Installation {
  readonly rowId: number;
  readonly id: string;
}

const COLUMNS = "no AS rowId, id";

/** The watermarks of one installation. */
export function readWatermarks(db: ReadOnlyDatabase, installation: number): Watermarks {
  const watermarks = Object.fromEntries(FACT_KINDS.map((kind) => [kind, 0])) as Watermarks;
  const rows = readRows<{ kind: FactKind; value: number }>(
    db,
    "SELECT kind, value FROM watermark WHERE installation = ?",
    installation,
  );
  for (const { kind, value } of rows) watermarks[kind] = value;
  return watermarks;
}

/** Undefined before the installation's first record. */
export function installationRowId(db: ReadOnlyDatabase, id: string): number | undefined {
  const sql = "SELECT no FROM installation WHERE id = ?";
  return readValue<number>(db, sql, id);
}

export function readInstallation(db: ReadOnlyDatabase, rowId: number): Installation | undefined {
  return readRow<Installation>(db, `SELECT ${COLUMNS} FROM installation WHERE no = ?`, rowId);
}

/** How many installations there are: row ids have no gap. */
export function lastInstallationRowId(db: ReadOnlyDatabase): number {
  return readValue<number>(db, "SELECT max(no) FROM installation") ?? 0;
}

/** Every installation that has a record, in the order of their first ones. */
export function listInstallations(db: ReadOnlyDatabase): Installation[] {
  return readRows<Installation>(db, `SELECT ${COLUMNS} FROM installation ORDER BY no`);
}

/** At most `limit` installations after a row id. */
export function installationsAfter(db: ReadOnlyDatabase, rowId: number, limit: number): Installation[] {
  const sql = `SELECT ${COLUMNS} FROM installation WHERE no > ? ORDER BY no LIMIT ${limit}`;
  return readRows<Installation>(db, sql, rowId);
}
