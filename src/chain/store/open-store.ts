/** Opens the chain's SQLite file and binds it to one deployment. */
import { createHash, randomUUID } from "node:crypto";
import { dirname } from "node:path";
import BetterSqlite3, { type Database } from "better-sqlite3";
import { makeDirectory } from "../../files/make-directory.ts";
import { makePrivateFile } from "../../files/private-file.ts";
import { sqliteFailure } from "../../sqlite/sqlite-failure.ts";
import type { Deployment } from "../deployment.ts";
import { CHAIN_SCHEMA, CHAIN_SCHEMA_VERSION } from "./schema.ts";

/** How long a statement waits for another process's transaction, in milliseconds. */
const BUSY_TIMEOUT = 5_000;
const CACHE_KIB = 16 * 1024;
/** Pages of the -wal file before they are copied: 16 MiB, because a first sync writes in bulk. */
const WAL_PAGES = 4_000;

/** Opens or creates the file. Empties one with other events or of another version. Throws `Failure`. */
export function openChainStore(path: string, deployment: Deployment): Database {
  try {
    makeDirectory(dirname(path));
    // SQLite gives its -wal and -shm files the mode of this one.
    makePrivateFile(path);
    const db = new BetterSqlite3(path, { timeout: BUSY_TIMEOUT });
    db.pragma("journal_mode = WAL");
    // Rows that a crash of the machine loses are read again from the chain.
    db.pragma("synchronous = NORMAL");
    db.pragma(`cache_size = -${CACHE_KIB}`);
    db.pragma(`wal_autocheckpoint = ${WAL_PAGES}`);
    db.transaction(() => bind(db, eventsBinding(deployment), deploymentBinding(deployment))).immediate();
    return db;
  } catch (error) {
    throw sqliteFailure(error, path, "chain", "write");
  }
}

/** Versions since this one have the same rows, so a newer program keeps them. */
const FIRST_BOUND_VERSION = 2;

/** Identifies the events that are read. With others the file is useless. */
function eventsBinding({ chainId, deploymentBlock, factory, core, proxyAdmin, operatorTimelock, economy }: Deployment) {
  const of = economy && [economy.deploymentBlock, economy.mining, economy.collection];
  return digest([FIRST_BOUND_VERSION, chainId, deploymentBlock, factory, core, proxyAdmin, operatorTimelock, of]);
}

/** Identifies the whole deployment. With another deployment the snapshot is useless. */
function deploymentBinding(deployment: Deployment): string {
  return digest(deployment);
}

function digest(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}

function bind(db: Database, events: string, whole: string): void {
  const exists = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'sync'").get() !== undefined;
  const version = db.pragma("user_version", { simple: true });
  if (!exists || version !== CHAIN_SCHEMA_VERSION) {
    db.exec("DROP TABLE IF EXISTS event; DROP TABLE IF EXISTS sync; DROP TABLE IF EXISTS node;");
    db.exec(CHAIN_SCHEMA);
  }
  db.pragma(`user_version = ${CHAIN_SCHEMA_VERSION}`);
  const row = db.prepare<[], { binding: string }>("SELECT binding FROM sync WHERE id = 1").get();
  if (row === undefined) {
    db.prepare("INSERT INTO sync (id, binding, history) VALUES (1, ?, ?)").run(`${events}:${whole}`, randomUUID());
  } else if (!row.binding.startsWith(`${events}:`)) {
    db.exec("DELETE FROM event");
    db.prepare(
      `UPDATE sync SET binding = ?, stored_through_block = NULL, stored_through_hash = NULL,
       indexed_through_block = NULL, last_good_pass_at = NULL, snapshot = NULL, problem = NULL, history = ? WHERE id = 1`,
    ).run(`${events}:${whole}`, randomUUID());
  } else if (row.binding !== `${events}:${whole}`) {
    db.prepare("UPDATE sync SET binding = ?, snapshot = NULL WHERE id = 1").run(`${events}:${whole}`);
  }
}
