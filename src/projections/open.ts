/**
 * Opens the projections: the publisher's file of data derived from the ledger and the chain, or an in-memory copy of it
 * that leaves no trace. The file may be deleted, because it contains no facts and is derived again.
 */
import { existsSync, rmSync } from "node:fs";
import SqliteDatabase, { type Database } from "better-sqlite3";
import { type DatabaseKind, limitWal, openForReading, openForWriting } from "../sqlite/open.ts";
import { Failure } from "../values/failure.ts";
import { ACTIVITY_TABLES } from "./activity/activity-events.ts";
import { MILESTONE_TABLES } from "./activity/milestones.ts";
import { TILE_TABLES } from "./activity/tile-tree.ts";
import { CURSOR_TABLE, TOTALS_TABLE } from "./follow.ts";
import { INTERVAL_TABLE } from "./rounds/intervals.ts";
import { WAITING_TABLE } from "./rounds/rounds.ts";
import { DAY_TABLE } from "./rounds/rounds-day.ts";
import { SAVED_HISTORY_TABLE } from "./settlements/saved-history.ts";
import { SETTLEMENT_TABLES } from "./settlements/settlements.ts";
import { SUBMISSION_TABLES } from "./settlements/submissions.ts";

const PROJECTIONS: DatabaseKind = {
  name: "projections",
  applicationId: 0x4e4f4f50, // "NOOP"
  schemaVersion: 2,
  schema: [
    CURSOR_TABLE,
    TOTALS_TABLE,
    DAY_TABLE,
    INTERVAL_TABLE,
    WAITING_TABLE,
    SUBMISSION_TABLES,
    SETTLEMENT_TABLES,
    SAVED_HISTORY_TABLE,
    ACTIVITY_TABLES,
    MILESTONE_TABLES,
    TILE_TABLES,
  ].join("\n"),
};

/** The file's name in the state directory. */
export const PROJECTIONS_FILE = "projections.db";

/** How long a rebuild waits for a publisher's commit, in milliseconds. */
const BUSY_TIMEOUT = 30_000;

/** Size of the -wal file that triggers a checkpoint, which blocks the publisher's thread (32 MiB: up to 130 ms). */
const WAL_BYTES = 8 * 1024 * 1024;

/**
 * Opens the projections for writing. `busyTimeout` (ms) blocks the event loop while another process writes. Creates them
 * if missing, and again if their format is another version's. Throws `Failure` (exit 74, or 75 if they are locked) for a
 * damaged file or another program's.
 */
export function openProjections(path: string, busyTimeout = BUSY_TIMEOUT): Database {
  const db = wipedIfUnknown(path, () => openForWriting(path, PROJECTIONS, { busyTimeout }));
  // A power failure may lose rows but not damage the file; lost rows are derived again.
  db.pragma("synchronous = NORMAL");
  limitWal(db, WAL_BYTES);
  return db;
}

/** Opens empty projections in memory. */
export function openProjectionsInMemory(): Database {
  return openForWriting(":memory:", PROJECTIONS);
}

/** Opens an in-memory copy of the projections; empty if there is no file, or one of another format. */
export function openProjectionsCopy(path: string): Database {
  if (!existsSync(path)) return openProjectionsInMemory();
  let source: Database;
  try {
    source = openForReading(path, PROJECTIONS);
  } catch (error) {
    if (isUnknownFormat(error)) return openProjectionsInMemory();
    throw error;
  }
  try {
    const bytes = source.serialize();
    // The header says WAL, which an in-memory database cannot use; 1 means a rollback journal.
    bytes[18] = bytes[19] = 1;
    return new SqliteDatabase(bytes);
  } finally {
    source.close();
  }
}

function wipedIfUnknown(path: string, open: () => Database): Database {
  try {
    return open();
  } catch (error) {
    if (!isUnknownFormat(error)) throw error;
    for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
    return open();
  }
}

function isUnknownFormat(error: unknown): boolean {
  return error instanceof Failure && error.code === "format_unknown";
}
