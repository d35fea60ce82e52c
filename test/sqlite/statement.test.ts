import SqliteDatabase from "better-sqlite3";
import { expect, test } from "vitest";
import { eachRow, readNumber, readRow, readRows, readValue, readValues } from "../../src/sqlite/statement.ts";

test.each([readRow, readRows, eachRow, readValue, readValues, readNumber])("%o writes nothing", (read) => {
  const db = new SqliteDatabase(":memory:");
  db.exec("CREATE TABLE fact (no INTEGER); INSERT INTO fact VALUES (1)");
  expect(() => read(db, "DELETE FROM fact RETURNING no")).toThrow("a read would write: DELETE");
  expect(readNumber(db, "SELECT count(*) FROM fact")).toBe(1);
  db.close();
});
