/** Typed reads of the stored events; none of them grows with the history, save where it says so. */
import type { Database } from "better-sqlite3";
import { statement } from "../../sqlite/statement.ts";
import type { ChainEvent, ContractKind } from "../chain-state.ts";
import { EVENT_SHAPES } from "../event-shape.ts";

/** The four interfaces of the onchain resource (docs/spec/chain.md#derived). */
export const ONCHAIN_KINDS: readonly ContractKind[] = ["factory", "core", "proxy_admin", "timelock"];

export interface EventRow {
  readonly block_number: number;
  readonly log_index: number;
  readonly transaction_index: number;
  readonly block_hash: string;
  readonly block_timestamp: number;
  readonly transaction_hash: string;
  readonly contract_kind: ContractKind;
  readonly contract_address: string;
  readonly event_name: string;
  readonly arguments: string;
}

/** The newest events of some kinds, newest first: one short look-up for each event name, however long the history. */
export function newestEvents(db: Database, kinds: readonly ContractKind[], limit: number): ChainEvent[] {
  const found: ChainEvent[] = [];
  for (const kind of kinds) {
    for (const { name } of EVENT_SHAPES[kind].values()) found.push(...newestOf(db, kind, name, limit));
  }
  return found.sort(newestFirst).slice(0, limit);
}

/** The newest events of one name, newest first. */
export function newestOf(db: Database, kind: ContractKind, name: string, limit: number): ChainEvent[] {
  return statement<[string, string, number], EventRow>(
    db,
    `SELECT * FROM event WHERE contract_kind = ? AND event_name = ?
     ORDER BY block_number DESC, log_index DESC LIMIT ?`,
  )
    .all(kind, name, limit)
    .map(eventOfRow);
}

/** All events from a block on, ascending. */
export function eventsFrom(db: Database, block: bigint): ChainEvent[] {
  return statement<[bigint], EventRow>(
    db,
    "SELECT * FROM event WHERE block_number >= ? ORDER BY block_number, log_index",
  )
    .all(block)
    .map(eventOfRow);
}

/** The newest event at or below a block. */
export function newestEventUpTo(db: Database, block: bigint): ChainEvent | undefined {
  const row = statement<[bigint], EventRow>(
    db,
    "SELECT * FROM event WHERE block_number <= ? ORDER BY block_number DESC, log_index DESC LIMIT 1",
  ).get(block);
  return row && eventOfRow(row);
}

/** The newest BatchSettled below a block. */
export function settlementBefore(db: Database, block: bigint): ChainEvent | undefined {
  const row = statement<[bigint], EventRow>(
    db,
    `SELECT * FROM event WHERE contract_kind = 'core' AND event_name = 'BatchSettled' AND block_number < ?
     ORDER BY block_number DESC, log_index DESC LIMIT 1`,
  ).get(block);
  return row && eventOfRow(row);
}

export function newestFirst(a: ChainEvent, b: ChainEvent): number {
  return a.blockNumber === b.blockNumber ? b.logIndex - a.logIndex : a.blockNumber < b.blockNumber ? 1 : -1;
}

export function eventOfRow(row: EventRow): ChainEvent {
  return {
    contractKind: row.contract_kind,
    contractAddress: row.contract_address,
    eventName: row.event_name,
    blockNumber: BigInt(row.block_number),
    blockHash: row.block_hash,
    blockTimestamp: row.block_timestamp,
    transactionHash: row.transaction_hash,
    transactionIndex: row.transaction_index,
    logIndex: row.log_index,
    arguments: JSON.parse(row.arguments),
  };
}
