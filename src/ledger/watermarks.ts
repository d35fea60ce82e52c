/** Reads what changed in the ledger with one small query: the number of facts of each kind per installation. */
import { type ReadOnlyDatabase, readRows, readValue } from "../sqlite/statement.ts";
import { recordOf } from "../values/unknown.ts";
import { FACT_KINDS, type FactKind } from "./schema.ts";

/** Numbers of accepted facts by kind; they never fall. */
export type Watermarks = Record<FactKind, number>;

/** `rowId` is the value of the column `installation` in the ledger's tables. */
export interface Installation {
  readonly rowId: number;
  readonly id: string;
}

const COLUMNS = "no AS rowId, id";

/** Returns the watermarks of one installation. */
export function readWatermarks(db: ReadOnlyDatabase, installation: number): Watermarks {
  const watermarks = recordOf(FACT_KINDS, () => 0);
  const rows = readRows<{ kind: FactKind; value: number }>(
    db,
    "SELECT kind, value FROM watermark WHERE installation = ?",
    installation,
  );
  for (const { kind, value } of rows) watermarks[kind] = value;
  return watermarks;
}

/** Returns undefined before the installation's first record. */
export function installationRowId(db: ReadOnlyDatabase, id: string): number | undefined {
  const sql = "SELECT no FROM installation WHERE id = ?";
  return readValue<number>(db, sql, id);
}

/** Returns the highest row id, which is the number of installations because row ids have no gaps. */
export function lastInstallationRowId(db: ReadOnlyDatabase): number {
  return readValue<number>(db, "SELECT max(no) FROM installation") ?? 0;
}

/** Returns every installation that has a record, in the order of their first records. */
export function listInstallations(db: ReadOnlyDatabase): Installation[] {
  return readRows<Installation>(db, `SELECT ${COLUMNS} FROM installation ORDER BY no`);
}

/** An installation that has entries of the log from some index on. */
export interface ChangedInstallation extends Installation {
  /** The position of its first receipt among them; null if it has none. */
  readonly first: number | null;
  /** The index of its newest entry. */
  readonly last: number;
}

const CHANGED = `SELECT entry.installation AS rowId, installation.id AS id, min(position) AS first, max(entry_index) AS last
FROM entry JOIN installation ON installation.no = entry.installation
WHERE entry_index >= ? AND (entry.installation > ? OR installation.id = ?)
GROUP BY entry.installation ORDER BY entry.installation`;

/** Returns the installations with entries from `since` on: those after the row `through`, and the one named `always`. */
export function changedInstallations(
  db: ReadOnlyDatabase,
  since: number,
  through: number,
  always: string,
): ChangedInstallation[] {
  return readRows<ChangedInstallation>(db, CHANGED, since, through, always);
}
