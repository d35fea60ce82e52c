/** Compares a new record with the one in the ledger. */

/**
 * An integer as it is bound: better-sqlite3 binds numbers as doubles, and SQLite takes a double of 2^51 or more for no
 * integer, however exact it is.
 */
export function integer(value: number): number | bigint {
  return value < 2 ** 51 ? value : BigInt(value);
}

export function flag(value: boolean): 0 | 1 {
  return value ? 1 : 0;
}

/** True if a stored row says the same as the fact that came, column by column. */
export function isSame<Row extends object>(
  stored: Row,
  come: { readonly [Column in keyof Row]: Row[Column] },
): boolean {
  return (Object.keys(stored) as (keyof Row)[]).every((column) => stored[column] === come[column]);
}
