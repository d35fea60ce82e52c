/** Typed reads of the stored events; none of them grows with the history, save where it says so. */

import { createHash } from "node:crypto";
import type { ReadOnlyDatabase } from "../../sqlite/statement.ts";
import { statement } from "../../sqlite/statement.ts";
import { type Log, type Position, START } from "../../values/log.ts";
import type { ChainEvent, ContractKind } from "../chain-state.ts";
import { EVENT_SHAPES } from "../event-shape.ts";
import { readSync } from "./sync-row.ts";

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
export function newestEvents(db: ReadOnlyDatabase, kinds: readonly ContractKind[], limit: number): ChainEvent[] {
  const found: ChainEvent[] = [];
  for (const kind of kinds) {
    for (const { name } of EVENT_SHAPES[kind].values()) found.push(...newestOf(db, kind, name, limit));
  }
  return found.sort(newestFirst).slice(0, limit);
}

/** The newest events of one name, newest first. */
export function newestOf(db: ReadOnlyDatabase, kind: ContractKind, name: string, limit: number): ChainEvent[] {
  return statement<[string, string, number], EventRow>(
    db,
    `SELECT * FROM event WHERE contract_kind = ? AND event_name = ?
     ORDER BY block_number DESC, log_index DESC LIMIT ?`,
  )
    .all(kind, name, limit)
    .map(eventOfRow);
}

export function countEvents(db: ReadOnlyDatabase): number {
  return statement<[], number>(db, "SELECT count(*) FROM event").pluck().get() ?? 0;
}

/** All events from a block on, ascending. */
export function eventsFrom(db: ReadOnlyDatabase, block: bigint): ChainEvent[] {
  return statement<[bigint], EventRow>(
    db,
    "SELECT * FROM event WHERE block_number >= ? ORDER BY block_number, log_index",
  )
    .all(block)
    .map(eventOfRow);
}

/** The newest event at or below a block. */
export function newestEventUpTo(db: ReadOnlyDatabase, block: bigint): ChainEvent | undefined {
  const row = statement<[bigint], EventRow>(
    db,
    "SELECT * FROM event WHERE block_number <= ? ORDER BY block_number DESC, log_index DESC LIMIT 1",
  ).get(block);
  return row && eventOfRow(row);
}

/** The newest BatchSettled below a block. */
export function settlementBefore(db: ReadOnlyDatabase, block: bigint): ChainEvent | undefined {
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

/** A contract's events of one name. */
export type EventName = readonly [kind: ContractKind, eventName: string];

/**
 * The events of some names up to and including the safe block, whole blocks at a time. A position is a block, its checksum
 * the file's history: that is another one once events were removed or replaced.
 */
export function eventLog(db: ReadOnlyDatabase, names: readonly EventName[], safeBlock: bigint): Log<ChainEvent> {
  const { history, stored } = readSync(db);
  const end = stored === undefined ? -1n : stored.block < safeBlock ? stored.block : safeBlock;
  const at = (block: bigint): Position => (block < 0n ? START : { at: String(block), checksum: history });
  return {
    hasMore: (after) => blockOf(after) < end,
    read(after, limit) {
      // Each name by its index, merged as they are read: one condition for all would have all of them sorted first.
      const sql = `${names.map(() => EVENTS_OF_A_NAME).join(" UNION ALL ")} ORDER BY block_number, log_index`;
      const values = names.flatMap((name) => [...name, blockOf(after), end]);
      const facts: ChainEvent[] = [];
      for (const row of statement<(bigint | string)[], EventRow>(db, sql).iterate(...values)) {
        const last = facts.at(-1)?.blockNumber;
        if (last !== undefined && facts.length >= limit && BigInt(row.block_number) > last) {
          return { facts, through: at(last) };
        }
        facts.push(eventOfRow(row));
      }
      return { facts, through: at(end) };
    },
    lastCommon(position) {
      if (position.checksum !== history) return START;
      return blockOf(position) <= end ? position : at(end);
    },
  };
}

/** The last block that a position of `eventLog` includes; -1 before the first. */
export function blockOf({ at }: Position): bigint {
  return at === "" ? -1n : BigInt(at);
}

const EVENTS_OF_A_NAME =
  "SELECT * FROM event WHERE contract_kind = ? AND event_name = ? AND block_number > ? AND block_number <= ?";

// The arguments of an event.

/** An argument that the ABI says is there, as its text. */
export function textArgument(event: ChainEvent, name: string): string {
  const argument = event.arguments.find((one) => one.name === name);
  if (argument === undefined)
    throw new Error(`${event.eventName} in block ${event.blockNumber} has no argument ${name}`);
  return argument.value;
}

/** The same as an integer. */
export function integerArgument(event: ChainEvent, name: string): bigint {
  return BigInt(textArgument(event, name));
}

// A fingerprint of events, to tell whether two reads of the same blocks gave the same.

/** Events from block `from` to block `through`, both included, in the given order. */
export function digestOf(events: readonly ChainEvent[], from: bigint, through: bigint): string {
  const hash = createHash("sha256");
  for (const event of events) {
    if (event.blockNumber < from || event.blockNumber > through) continue;
    // Not the timestamp: it is not in every node's logs.
    const { blockHash, transactionHash, logIndex, contractAddress, eventName } = event;
    hash.update(JSON.stringify([blockHash, transactionHash, logIndex, contractAddress, eventName, event.arguments]));
  }
  return hash.digest("hex");
}

// Follows the stored events of one name, so that a pass reads what is new and not the history.

export class EventTail {
  readonly #kind: ContractKind;
  readonly #name: string;
  #block = -1n;
  #logIndex = -1;

  constructor(kind: ContractKind, name: string) {
    this.#kind = kind;
    this.#name = name;
  }

  /** Events that were stored since the last call, ascending; the first call returns all. */
  next(db: ReadOnlyDatabase): readonly ChainEvent[] {
    const events = statement<unknown[], EventRow>(
      db,
      `SELECT * FROM event WHERE contract_kind = ? AND event_name = ? AND (block_number, log_index) > (?, ?)
       ORDER BY block_number, log_index`,
    )
      .all(this.#kind, this.#name, this.#block, this.#logIndex)
      .map(eventOfRow);
    const last = events.at(-1);
    if (last !== undefined) {
      this.#block = last.blockNumber;
      this.#logIndex = last.logIndex;
    }
    return events;
  }

  reset(): void {
    this.#block = -1n;
    this.#logIndex = -1;
  }
}
