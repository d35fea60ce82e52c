import type { Database, Statement } from "better-sqlite3";

const prepared = new WeakMap<Database, Map<string, Statement>>();

/** The prepared statement of a text, prepared once for each connection. */
export function statement<Parameters extends unknown[] = unknown[], Row = unknown>(
  db: Database,
  sql: string,
): Statement<Parameters, Row> {
  let statements = prepared.get(db);
  if (statements === undefined) prepared.set(db, (statements = new Map()));
  let found = statements.get(sql);
  if (found === undefined) statements.set(sql, (found = db.prepare(sql)));
  return found as unknown as Statement<Parameters, Row>;
}
