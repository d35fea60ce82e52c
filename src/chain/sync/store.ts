/**
 * The chain's SQLite file: opened, bound to one deployment, written range by range. Each write says what it continues, so
 * that a second writer (`chain sync` or `rewind` beside a publisher) makes it fail instead of mixing two histories.
 */
import { createHash, randomUUID } from "node:crypto";
import { dirname } from "node:path";
import BetterSqlite3, { type Database } from "better-sqlite3";
import { makeDirectory } from "../../files/make-directory.ts";
import { sqliteFailure } from "../../sqlite/sqlite-failure.ts";
import { statement } from "../../sqlite/statement.ts";
import { digestOf } from "../checks/unconfirmed-fault.ts";
import type { Deployment } from "../deployment.ts";
import type { ChainEvent } from "../view/chain-state.ts";
import { eventsFrom } from "../view/read-events.ts";
import type { ProblemEvent } from "./poll-event.ts";
import { CHAIN_SCHEMA, CHAIN_SCHEMA_VERSION } from "./schema.ts";

/** How far the file goes; `hash` is null only after a rewind. */
export interface StoredThrough {
  readonly block: bigint;
  readonly hash: string | null;
}

export interface SyncRow {
  /** Another one where stored events were removed or replaced. */
  readonly history: string;
  readonly stored: StoredThrough | undefined;
  readonly indexedThroughBlock: bigint | undefined;
  readonly lastGoodPassAt: number | undefined;
  /** JSON of the last good snapshot. */
  readonly snapshot: string | null;
  readonly problem: Problem | undefined;
}

/** What is wrong, and since when (epoch ms). */
export interface Problem {
  readonly since: number;
  readonly event: ProblemEvent;
}

/** How long a statement waits for another process's transaction, in milliseconds. */
const BUSY_TIMEOUT = 5_000;
const CACHE_KIB = 16 * 1024;
/** A first sync writes in bulk: fewer checkpoints, and a -wal file of 16 MiB at most. */
const CHECKPOINT_PAGES = 4_000;

/** Opens or creates the file. One of another deployment or version is emptied: all of it is read again from the chain. Throws `Failure`. */
export function openChainStore(path: string, deployment: Deployment): Database {
  try {
    makeDirectory(dirname(path));
    const db = new BetterSqlite3(path, { timeout: BUSY_TIMEOUT });
    db.pragma("journal_mode = WAL");
    // What a crash of the machine takes is read again from the chain.
    db.pragma("synchronous = NORMAL");
    db.pragma(`cache_size = -${CACHE_KIB}`);
    db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    db.transaction(() => bind(db, logsBinding(deployment), deploymentBinding(deployment))).immediate();
    return db;
  } catch (error) {
    throw sqliteFailure(error, path, "chain_store", "write");
  }
}

export function readSync(db: Database): SyncRow {
  const row = statement<[], Record<string, bigint | string | null>>(db, "SELECT * FROM sync WHERE id = 1")
    .safeIntegers()
    .get();
  const block = row?.stored_through_block;
  const indexed = row?.indexed_through_block;
  const at = row?.last_good_pass_at;
  return {
    history: String(row?.history),
    stored:
      typeof block === "bigint" ? { block, hash: (row?.stored_through_hash ?? null) as string | null } : undefined,
    indexedThroughBlock: typeof indexed === "bigint" ? indexed : undefined,
    lastGoodPassAt: typeof at === "bigint" ? Number(at) : undefined,
    snapshot: (row?.snapshot ?? null) as string | null,
    problem: typeof row?.problem === "string" ? (JSON.parse(row.problem) as Problem) : undefined,
  };
}

/** What one transaction of the sync adds. */
export interface Append {
  /** What the writer read the file as. */
  readonly expected: StoredThrough | undefined;
  /** First block of the range; events stored from there on are replaced. */
  readonly from: bigint;
  readonly events: readonly ChainEvent[];
  readonly through: { readonly block: bigint; readonly hash: string };
  /** With the last range of a pass: what it found, once its events are in. What it throws undoes all of it. */
  readonly finish?: () => { readonly head: bigint; readonly at: number | null; readonly snapshot: string | null };
}

export class StoreMoved extends Error {
  override readonly name = "StoreMoved";
}

/** Stores a range whole or not at all. Throws `StoreMoved` where somebody else has written meanwhile. */
export function append(db: Database, { expected, from, events, through, finish }: Append): void {
  db.transaction(() => {
    const moved = statement(
      db,
      `UPDATE sync SET stored_through_block = ?, stored_through_hash = ?
       WHERE id = 1 AND stored_through_block IS ? AND stored_through_hash IS ?`,
    ).run(through.block, through.hash, expected?.block ?? null, expected?.hash ?? null);
    if (moved.changes !== 1) throw new StoreMoved("another process has written to the chain's file");
    const known = expected !== undefined && from <= expected.block && replace(db, from, expected.block, events);
    insert(db, known ? events.filter((event) => event.blockNumber > expected.block) : events);
    if (finish !== undefined) {
      const pass = finish();
      statement(
        db,
        `UPDATE sync SET indexed_through_block = ?, snapshot = ?,
         last_good_pass_at = coalesce(?, last_good_pass_at) WHERE id = 1`,
      ).run(pass.head, pass.snapshot, pass.at);
    }
  }).immediate();
}

/** Remembers a pass that found nothing new. */
export function touch(db: Database, lastGoodPassAt: number): void {
  statement(db, "UPDATE sync SET last_good_pass_at = ? WHERE id = 1").run(lastGoodPassAt);
}

/** What `chain status` shows; undefined when all is well again. */
export function writeProblem(db: Database, event: ProblemEvent | undefined, since: number): void {
  const problem = event === undefined ? null : JSON.stringify({ since, event } satisfies Problem);
  statement(db, "UPDATE sync SET problem = ? WHERE id = 1").run(problem);
}

/** Forgets the snapshot that the chain contradicts, so that a restart does not serve it. */
export function dropSnapshot(db: Database): void {
  statement(db, "UPDATE sync SET snapshot = NULL WHERE id = 1").run();
}

/**
 * Forgets everything above `block`; the next pass goes on from there. Its hash is not known unless it was the last one
 * stored: the next pass then compares the newest event that is left.
 */
export function rewind(db: Database, block: bigint): { removed: number } {
  return db
    .transaction(() => {
      const stored = readSync(db).stored;
      if (stored === undefined || stored.block <= block) return { removed: 0 };
      const { changes } = statement(db, "DELETE FROM event WHERE block_number > ?").run(block);
      statement(
        db,
        `UPDATE sync SET stored_through_block = ?, stored_through_hash = NULL,
         indexed_through_block = NULL, snapshot = NULL, problem = NULL, history = ? WHERE id = 1`,
      ).run(block, randomUUID());
      return { removed: changes };
    })
    .immediate();
}

/**
 * Whether the events stored from `from` to `to` are those read again. Where they are not they are removed, and the
 * history is another one for everybody who follows it.
 */
function replace(db: Database, from: bigint, to: bigint, events: readonly ChainEvent[]): boolean {
  if (digestOf(eventsFrom(db, from), from, to) === digestOf(events, from, to)) return true;
  statement(db, "DELETE FROM event WHERE block_number >= ?").run(from);
  statement(db, "UPDATE sync SET history = ? WHERE id = 1").run(randomUUID());
  return false;
}

function insert(db: Database, events: readonly ChainEvent[]): void {
  const row = statement(
    db,
    `INSERT INTO event (block_number, log_index, transaction_index, block_hash, block_timestamp, transaction_hash,
     contract_kind, contract_address, event_name, arguments) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  for (const event of events) {
    row.run(
      event.blockNumber,
      event.logIndex,
      event.transactionIndex,
      event.blockHash,
      event.blockTimestamp,
      event.transactionHash,
      event.contractKind,
      event.contractAddress,
      event.eventName,
      JSON.stringify(event.arguments),
    );
  }
}

/** What decides which logs are read: another one makes the file worthless. */
function logsBinding({ chainId, deploymentBlock, factory, core, proxyAdmin, operatorTimelock, economy }: Deployment) {
  const of = economy && [economy.deploymentBlock, economy.mining, economy.collection];
  return digest([CHAIN_SCHEMA_VERSION, chainId, deploymentBlock, factory, core, proxyAdmin, operatorTimelock, of]);
}

/** The whole deployment: another one makes the snapshot worthless. */
function deploymentBinding(deployment: Deployment): string {
  return digest(deployment);
}

function digest(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}

function bind(db: Database, logs: string, whole: string): void {
  const exists = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'sync'").get() !== undefined;
  const version = db.pragma("user_version", { simple: true });
  if (!exists || version !== CHAIN_SCHEMA_VERSION) {
    db.exec("DROP TABLE IF EXISTS event; DROP TABLE IF EXISTS sync;");
    db.exec(CHAIN_SCHEMA);
    db.pragma(`user_version = ${CHAIN_SCHEMA_VERSION}`);
  }
  const row = db.prepare<[], { binding: string }>("SELECT binding FROM sync WHERE id = 1").get();
  if (row === undefined) {
    db.prepare("INSERT INTO sync (id, binding, history) VALUES (1, ?, ?)").run(`${logs}:${whole}`, randomUUID());
  } else if (!row.binding.startsWith(`${logs}:`)) {
    db.exec("DELETE FROM event");
    db.prepare(
      `UPDATE sync SET binding = ?, stored_through_block = NULL, stored_through_hash = NULL,
       indexed_through_block = NULL, last_good_pass_at = NULL, snapshot = NULL, problem = NULL, history = ? WHERE id = 1`,
    ).run(`${logs}:${whole}`, randomUUID());
  } else if (row.binding !== `${logs}:${whole}`) {
    db.prepare("UPDATE sync SET binding = ?, snapshot = NULL WHERE id = 1").run(`${logs}:${whole}`);
  }
}
