/** Reads stored events. The time of a read does not grow with the history, unless its comment says so. */

import { createHash } from "node:crypto";
import { eachRow, type ReadOnlyDatabase, readRows } from "../../sqlite/statement.ts";
import { type Position, type Source, START } from "../../values/source.ts";
import type { ChainEvent, ContractKind } from "../chain-state.ts";
import { HIGHEST_FIRST, IS_FUNDING } from "./schema.ts";
import { readSync } from "./sync-row.ts";

type EventRow = Omit<ChainEvent, "blockNumber" | "arguments"> & {
  readonly blockNumber: number;
  readonly arguments: string;
};

const SELECT = `
SELECT contract_kind AS contractKind, contract_address AS contractAddress, event_name AS eventName,
       block_number AS blockNumber, block_hash AS blockHash, block_timestamp AS blockTimestamp,
       transaction_hash AS transactionHash, transaction_index AS transactionIndex, log_index AS logIndex, arguments
FROM event`;
const OLDEST_FIRST = "ORDER BY block_number, log_index";
const newest = (limit: number) => `ORDER BY block_number DESC, log_index DESC LIMIT ${limit}`;

/** `rest` is the statement starting at WHERE. */
function select(db: ReadOnlyDatabase, rest: string, ...values: (string | number | bigint)[]): ChainEvent[] {
  return readRows<EventRow>(db, `${SELECT} ${rest}`, ...values).map(eventOf);
}

function eventOf(row: EventRow): ChainEvent {
  return { ...row, blockNumber: BigInt(row.blockNumber), arguments: JSON.parse(row.arguments) };
}

/** Returns the newest events of one name, newest first. */
export function newestOf(db: ReadOnlyDatabase, kind: ContractKind, name: string, limit: number): ChainEvent[] {
  return select(db, `WHERE contract_kind = ? AND event_name = ? ${newest(limit)}`, kind, name);
}

/** Returns all events from a block on, ascending. The time grows with their number. */
export function eventsFrom(db: ReadOnlyDatabase, block: bigint): ChainEvent[] {
  return select(db, `WHERE block_number >= ? ${OLDEST_FIRST}`, block);
}

/** Returns the newest BatchSettled below a block. */
export function settlementEventBefore(db: ReadOnlyDatabase, block: bigint): ChainEvent | undefined {
  const rest = `WHERE contract_kind = ? AND event_name = ? AND block_number < ? ${newest(1)}`;
  return select(db, rest, "core", "BatchSettled", block)[0];
}

/** Returns all of the timelock's events, ascending. They are few, but their number grows with the history. */
export function timelockEvents(db: ReadOnlyDatabase): ChainEvent[] {
  return select(db, `WHERE contract_kind = ? ${OLDEST_FIRST}`, "timelock");
}

/** Returns the first RoundFunded of the highest round by its index. SQLite would use another one and sort all. */
export function highestFunded(db: ReadOnlyDatabase): ChainEvent | undefined {
  return select(db, `INDEXED BY event_highest_funded WHERE ${IS_FUNDING} ${HIGHEST_FIRST} LIMIT 1`)[0];
}

export function newestFirst(a: ChainEvent, b: ChainEvent): number {
  return a.blockNumber === b.blockNumber ? b.logIndex - a.logIndex : a.blockNumber < b.blockNumber ? 1 : -1;
}

/** A contract kind and the name of one of its events. */
export type EventName = readonly [kind: ContractKind, eventName: string];

/**
 * The events of some names up to and including the safe block, in whole blocks. A position is a block; its checksum is
 * the file's history, which changes whenever events are removed or replaced.
 */
export function eventSource(db: ReadOnlyDatabase, names: readonly EventName[], safeBlock: bigint): Source<ChainEvent> {
  const { history, stored } = readSync(db);
  const end = stored === undefined ? -1n : stored.block < safeBlock ? stored.block : safeBlock;
  const at = (block: bigint): Position => (block < 0n ? START : { at: String(block), checksum: history });
  return {
    hasMore: (after) => blockOf(after) < end,
    read(after, limit) {
      // Merge the indexed rows of each name while reading: with one condition for all, SQLite would first sort all.
      const sql = `${names.map(() => EVENTS_OF_A_NAME).join(" UNION ALL ")} ORDER BY blockNumber, logIndex`;
      const values = names.flatMap((name) => [...name, blockOf(after), end]);
      const facts: ChainEvent[] = [];
      for (const row of eachRow<EventRow>(db, sql, ...values)) {
        const last = facts.at(-1)?.blockNumber;
        if (last !== undefined && facts.length >= limit && BigInt(row.blockNumber) > last) {
          return { facts, through: at(last) };
        }
        facts.push(eventOf(row));
      }
      return { facts, through: at(end) };
    },
    lastCommon(position) {
      if (position.checksum !== history) return START;
      return blockOf(position) <= end ? position : at(end);
    },
  };
}

/** Returns the last block that a position of `eventSource` includes; -1 before the first. */
export function blockOf({ at }: Position): bigint {
  return at === "" ? -1n : BigInt(at);
}

const EVENTS_OF_A_NAME = `${SELECT} WHERE contract_kind = ? AND event_name = ? AND block_number > ? AND block_number <= ?`;

// Reading the arguments of an event.

/** Returns an argument that the ABI guarantees, as text. */
export function textArgument(event: ChainEvent, name: string): string {
  const argument = event.arguments.find((one) => one.name === name);
  if (argument === undefined)
    throw new Error(`${event.eventName} in block ${event.blockNumber} has no argument ${name}`);
  return argument.value;
}

/** Returns such an argument as an integer. */
export function integerArgument(event: ChainEvent, name: string): bigint {
  return BigInt(textArgument(event, name));
}

// A fingerprint that shows if two reads of the same blocks agree.

/** Hashes the events from block `from` to block `through`, both included, in the given order. */
export function digestOf(events: readonly ChainEvent[], from: bigint, through: bigint): string {
  const hash = createHash("sha256");
  for (const event of events) {
    if (event.blockNumber < from || event.blockNumber > through) continue;
    // Exclude the timestamp, because some nodes omit it.
    const { blockHash, transactionHash, logIndex, contractAddress, eventName } = event;
    hash.update(JSON.stringify([blockHash, transactionHash, logIndex, contractAddress, eventName, event.arguments]));
  }
  return hash.digest("hex");
}
