import type { Database, Statement } from "better-sqlite3";

/** A database as a snapshot gives it: it can be queried, and neither written nor closed. */
export type ReadOnlyDatabase = Pick<Database, "name" | "inTransaction">;

/** A prepared statement of a `ReadOnlyDatabase`: it has no `run`. */
export interface Query<Parameters extends unknown[], Row> {
  get(...parameters: Parameters): Row | undefined;
  all(...parameters: Parameters): Row[];
  iterate(...parameters: Parameters): IterableIterator<Row>;
  pluck(): Query<Parameters, Row>;
  raw(): Query<Parameters, Row>;
  safeIntegers(): Query<Parameters, Row>;
}

const prepared = new WeakMap<Database, Map<string, Statement>>();

/** The prepared statement of a text, prepared once for each connection. */
export function statement<Parameters extends unknown[] = unknown[], Row = unknown>(
  db: Database,
  sql: string,
): Statement<Parameters, Row>;
export function statement<Parameters extends unknown[] = unknown[], Row = unknown>(
  db: ReadOnlyDatabase,
  sql: string,
): Query<Parameters, Row>;
export function statement(db: ReadOnlyDatabase, sql: string): Statement {
  // Every ReadOnlyDatabase is a whole one; only its type hides what writes.
  const whole = db as Database;
  let statements = prepared.get(whole);
  if (statements === undefined) prepared.set(whole, (statements = new Map()));
  let found = statements.get(sql);
  if (found === undefined) statements.set(sql, (found = whole.prepare(sql)));
  return found;
}
