/** Prepared statements and typed reads. Readers get a `ReadOnlyDatabase`, whose type hides the writing methods. */
import type { Database, RunResult, Statement } from "better-sqlite3";

/** A database that can only be queried: it can be neither written nor closed. */
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

/**
 * Returns the prepared statement of a text, prepared once per connection. Put a limit into the text: SQLite prepares a
 * statement again (50 µs) whenever a value is bound to its LIMIT.
 */
export function statement<Parameters extends unknown[] = unknown[], Row = unknown>(
  db: Database,
  sql: string,
): Statement<Parameters, Row>;
export function statement<Parameters extends unknown[] = unknown[], Row = unknown>(
  db: ReadOnlyDatabase,
  sql: string,
): Query<Parameters, Row>;
export function statement(db: ReadOnlyDatabase, sql: string): Statement {
  // Every ReadOnlyDatabase is a full Database; only its type hides the writing methods.
  const whole = db as Database;
  let statements = prepared.get(whole);
  if (statements === undefined) prepared.set(whole, (statements = new Map()));
  let found = statements.get(sql);
  if (found === undefined) statements.set(sql, (found = whole.prepare(sql)));
  return found;
}

type Parameter = string | number | bigint | null;

/** Throws `TypeError` for a statement that writes, such as `DELETE … RETURNING`. */
function query<Row>(db: ReadOnlyDatabase, sql: string): Query<Parameter[], Row> {
  const found = statement<Parameter[], Row>(db as Database, sql);
  if (!found.readonly) throw new TypeError(`a read would write: ${sql}`);
  return found;
}

/** Returns the first row; undefined if there is none. */
export function readRow<Row>(db: ReadOnlyDatabase, sql: string, ...parameters: Parameter[]): Row | undefined {
  return query<Row>(db, sql).get(...parameters);
}

export function readRows<Row>(db: ReadOnlyDatabase, sql: string, ...parameters: Parameter[]): Row[] {
  return query<Row>(db, sql).all(...parameters);
}

/** Iterates the rows lazily. */
export function eachRow<Row>(db: ReadOnlyDatabase, sql: string, ...parameters: Parameter[]): IterableIterator<Row> {
  return query<Row>(db, sql).iterate(...parameters);
}

/**
 * Returns the first column of the first row; undefined if there is none. Use each SQL text for values or for rows, not
 * both: a cached statement stays plucked.
 */
export function readValue<Value>(db: ReadOnlyDatabase, sql: string, ...parameters: Parameter[]): Value | undefined {
  return query<Value>(db, sql)
    .pluck()
    .get(...parameters);
}

/** Returns a number that always exists, such as a count. Use an SQL text for values or for rows, not both. */
export function readNumber(db: ReadOnlyDatabase, sql: string, ...parameters: Parameter[]): number {
  const value = readValue(db, sql, ...parameters);
  if (typeof value !== "number") throw new TypeError(`${sql} gives no number`);
  return value;
}

/** Returns the first column of each row. */
export function readValues<Value>(db: ReadOnlyDatabase, sql: string, ...parameters: Parameter[]): Value[] {
  return query<Value>(db, sql)
    .pluck()
    .all(...parameters);
}

export function run(db: Database, sql: string, ...parameters: Parameter[]): RunResult {
  return statement<Parameter[]>(db, sql).run(...parameters);
}

/** The stored form of a row: a bigint is stored as an integer or a decimal text. */
export type Stored<Row> = { readonly [Name in keyof Row]: Row[Name] extends bigint ? string | number : Row[Name] };

/** Converts the columns `names` to bigints in place, and returns the row. */
export function withBigints<Row extends object>(row: Stored<Row>, ...names: (keyof Row)[]): Row {
  const read = row as Record<keyof Row, unknown>;
  for (const name of names) read[name] = BigInt(read[name] as string | number);
  return read as Row;
}
