/** Shows in one small read what has changed in the ledger: the number of facts of each kind per installation. */
import { type ReadOnlyDatabase, statement } from "../sqlite/statement.ts";
import { FACT_KINDS, type FactKind } from "./schema.ts";

/** Accepted facts by kind; 0 if there is none. They only grow. */
export type Watermarks = Record<FactKind, number>;

/** An installation as the ledger's tables know it: `no` is what their column `installation` holds. */
export interface Installation {
  readonly no: number;
  readonly id: string;
}

/** The watermarks of one installation, by its number. */
export function readWatermarks(db: ReadOnlyDatabase, installation: number): Watermarks {
  const watermarks = Object.fromEntries(FACT_KINDS.map((kind) => [kind, 0])) as Watermarks;
  const rows = statement<[number], { kind: FactKind; value: number }>(
    db,
    "SELECT kind, value FROM watermark WHERE installation = ?",
  ).all(installation);
  for (const { kind, value } of rows) watermarks[kind] = value;
  return watermarks;
}

/** The number of an installation; undefined before its first record. */
export function installationRowId(db: ReadOnlyDatabase, id: string): number | undefined {
  return statement<[string], { no: number }>(db, "SELECT no FROM installation WHERE id = ?").get(id)?.no;
}

/** An installation by its number. */
export function readInstallation(db: ReadOnlyDatabase, no: number): Installation | undefined {
  return statement<[number], Installation>(db, "SELECT no, id FROM installation WHERE no = ?").get(no);
}

/** How many there are: their numbers have no gap. */
export function lastInstallationRowId(db: ReadOnlyDatabase): number {
  return statement<[], { no: number | null }>(db, "SELECT max(no) AS no FROM installation").get()?.no ?? 0;
}

/** Every installation that has a record, in the order of their first ones. */
export function listInstallations(db: ReadOnlyDatabase): Installation[] {
  return statement<[], Installation>(db, "SELECT no, id FROM installation ORDER BY no").all();
}

/** At most `most` of them, from the one after a number on. */
export function installationsAfter(db: ReadOnlyDatabase, no: number, most: number): Installation[] {
  const sql = "SELECT no, id FROM installation WHERE no > ? ORDER BY no LIMIT ?";
  return statement<[number, number], Installation>(db, sql).all(no, most);
}
