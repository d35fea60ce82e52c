/**
 * Appends ranges of events. Only one process writes: the state directory is locked.
 */
import { randomUUID } from "node:crypto";
import type { Database } from "better-sqlite3";
import { run, statement } from "../../sqlite/statement.ts";
import type { ChainEvent } from "../chain-state.ts";
import { digestOf, eventsFrom } from "./read-events.ts";
import type { StoredThrough } from "./sync-row.ts";

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
  readonly finish?: () => { readonly tip: bigint; readonly snapshot: string };
}

/** Stores a range completely or not at all. */
export function append(db: Database, { expected, from, events, through, at, finish }: Append): void {
  db.transaction(() => {
    run(
      db,
      "UPDATE sync SET stored_through_block = ?, stored_through_hash = ?, stored_at = coalesce(?, stored_at) WHERE id = 1",
      through.block,
      through.hash,
      through.block === expected?.block ? null : at,
    );
    const known = expected !== undefined && from <= expected.block && replace(db, from, expected.block, events);
    insert(db, known ? events.filter((event) => event.blockNumber > expected.block) : events);
    if (finish !== undefined) {
      const pass = finish();
      run(
        db,
        "UPDATE sync SET indexed_through_block = ?, snapshot = ?, last_good_pass_at = ? WHERE id = 1",
        pass.tip,
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
