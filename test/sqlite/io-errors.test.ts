/** Each kind of "disk I/O error" has a cause of its own, and SQLite needs no directory for temporary files. */
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import { expect, test } from "vitest";
import { openLedgerForIntake } from "../../src/ledger/open.ts";
import { sqliteFailure } from "../../src/sqlite/sqlite-failure.ts";
import { Failure } from "../../src/values/failure.ts";
import { testFolder } from "../support/test-folder.ts";

test("only an error of the disk advises another disk", () => {
  const causes: Readonly<Record<string, readonly string[]>> = {
    "no directory for temporary files": ["GETTEMPPATH"],
    "no memory": ["NOMEM"],
    "does not lock files": ["LOCK", "UNLOCK", "RDLOCK", "BLOCKED", "CHECKRESERVEDLOCK"],
    "-shm file": ["SHMOPEN", "SHMSIZE", "SHMLOCK", "SHMMAP"],
    "cannot be deleted": ["DELETE", "DELETE_NOENT"],
    "shorter than": ["SHORT_READ"],
    "file system is damaged": ["CORRUPTFS", "DATA"],
    "does not respond": ["ACCESS", "CONVPATH", "DIR_CLOSE", "CLOSE", "FSTAT", "AUTH", "VNODE"],
    "its disk reports an error": ["READ", "WRITE", "FSYNC", "DIR_FSYNC", "TRUNCATE", "SEEK", "MMAP", "IN_PAGE"],
  };
  const path = join(testFolder(), "ledger.db");
  openLedgerForIntake(path).close();
  for (const [cause, codes] of Object.entries(causes)) {
    for (const code of codes) {
      const error = new SqliteDatabase.SqliteError("disk I/O error", `SQLITE_IOERR_${code}`);
      const failure = sqliteFailure(error, path, "ledger", "write");
      if (!(failure instanceof Failure)) throw new Error(`${code} is no failure`);
      expect.soft(failure.message).toContain(cause);
      expect.soft(failure.hint?.includes("another disk"), code).toBe(cause === "its disk reports an error");
    }
  }
});
