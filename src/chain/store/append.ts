/**
 * Appends ranges of events. Each write names the state that it continues, so that a second writer (`chain sync` or
 * `rewind` during a publisher's pass) makes it fail instead of mixing two histories.
 */
import { randomUUID } from "node:crypto";
import type { Database } from "better-sqlite3";
import { run, statement } from "../../sqlite/statement.ts";
import type { ChainEvent } from "../chain-state.ts";
import { digestOf, eventsFrom, newestEventUpTo } from "./read-events.ts";
import { readSync, type StoredThrough } from "./sync-row.ts";

/** The rows that the sync adds in one transaction. */
export interface Append {
  /** The state of the file as the writer read it. */
  readonly expected: StoredThrough | undefined;
  /** First block of the range; stored events from there on are replaced. */
  readonly from: bigint;
  readonly events: readonly ChainEvent[];
  readonly through: { readonly block: bigint; readonly hash: string };
  /** Epoch ms of this write. */
  readonly at: number;
  /** For the last range of a pass: returns the pass's result after its events are in. If it throws, nothing is kept. */
  readonly finish?: () => { readonly head: bigint; readonly snapshot: string };
}

class StoreMoved extends Error {
  override readonly name = "StoreMoved";
}

/** Stores a range completely or not at all. Throws `StoreMoved` if another process wrote in the meantime. */
export function append(db: Database, { expected, from, events, through, at, finish }: Append): void {
  db.transaction(() => {
    const moved = run(
      db,
      `UPDATE sync SET stored_through_block = ?, stored_through_hash = ?, stored_at = coalesce(?, stored_at)
       WHERE id = 1 AND stored_through_block IS ? AND stored_through_hash IS ?`,
      through.block,
      through.hash,
      through.block === expected?.block ? null : at,
      expected?.block ?? null,
      expected?.hash ?? null,
    );
    if (moved.changes !== 1) throw new StoreMoved("another process has written to the chain's file");
    const known = expected !== undefined && from <= expected.block && replace(db, from, expected.block, events);
    insert(db, known ? events.filter((event) => event.blockNumber > expected.block) : events);
    if (finish !== undefined) {
      const pass = finish();
      run(
        db,
        "UPDATE sync SET indexed_through_block = ?, snapshot = ?, last_good_pass_at = ? WHERE id = 1",
        pass.head,
        pass.snapshot,
        at,
      );
    }
  }).immediate();
}

/**
 * Returns true if the stored events from `from` to `to` equal those that were read again. Otherwise deletes them and
 * gives the file a new history, which followers notice.
 */
function replace(db: Database, from: bigint, to: bigint, events: readonly ChainEvent[]): boolean {
  if (digestOf(eventsFrom(db, from), from, to) === digestOf(events, from, to)) return true;
  run(db, "DELETE FROM event WHERE block_number >= ?", from);
  run(db, "UPDATE sync SET history = ? WHERE id = 1", randomUUID());
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

// Recovery from a reorg below the safe block (docs/nodes.md, "After a deep reorg").

/**
 * Deletes everything above `block`. The next pass checks the hash of the newest remaining event and reads on after its
 * block, because the chain may have different events between it and `block`. `next` is the block after that event;
 * undefined if no event is left.
 */
export function rewind(db: Database, block: bigint): { removed: number; next: bigint | undefined } {
  return db
    .transaction(() => {
      const stored = readSync(db).stored;
      if (stored === undefined || stored.block <= block) return { removed: 0, next: undefined };
      const { changes } = run(db, "DELETE FROM event WHERE block_number > ?", block);
      const newest = newestEventUpTo(db, block);
      run(
        db,
        `UPDATE sync SET stored_through_block = ?, stored_through_hash = ?,
         indexed_through_block = NULL, snapshot = NULL, problem = NULL, history = ? WHERE id = 1`,
        newest?.blockNumber ?? null,
        newest?.blockHash ?? null,
        randomUUID(),
      );
      return { removed: changes, next: newest && newest.blockNumber + 1n };
    })
    .immediate();
}
