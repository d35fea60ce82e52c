/**
 * Stores the settlement batches and the funding of their rounds (docs/spec/api.md#settlements;
 * docs/spec/chain.md#derived). Each batch has the running totals including itself, so that any window is the difference
 * of two rows, however long the history.
 */
import type { Database } from "better-sqlite3";
import type { ChainEvent } from "../../chain/chain-state.ts";
import { type EventName, textArgument } from "../../chain/store/read-events.ts";
import { paddedRound } from "../../ledger/schema.ts";
import {
  eachRow,
  type ReadOnlyDatabase,
  readRow,
  readRows,
  readValues,
  run,
  type Stored,
  withBigints,
} from "../../sqlite/statement.ts";
import { type Follower, readCursor, rewindBlocks } from "../follow.ts";

export const SETTLEMENT_TABLES = `
CREATE TABLE settlement (
  block_number INTEGER NOT NULL,
  log_index INTEGER NOT NULL,
  block_timestamp INTEGER NOT NULL,
  transaction_hash TEXT NOT NULL,
  previous_round TEXT NOT NULL,
  settled_round TEXT NOT NULL,
  active_rounds TEXT NOT NULL,
  cumulative_work TEXT NOT NULL,
  block_height TEXT NOT NULL,
  -- running totals including this batch
  batches INTEGER NOT NULL,
  total_active_rounds TEXT NOT NULL,
  PRIMARY KEY (block_number, log_index)
) STRICT, WITHOUT ROWID;
CREATE INDEX settlement_by_time ON settlement (block_timestamp, block_number, log_index);

CREATE TABLE round_funding (
  round TEXT NOT NULL,
  block_number INTEGER NOT NULL,
  log_index INTEGER NOT NULL,
  amount TEXT NOT NULL,
  PRIMARY KEY (round, block_number, log_index)
) STRICT, WITHOUT ROWID;
CREATE INDEX round_funding_by_block ON round_funding (block_number);
`;

export interface Settlement {
  readonly blockNumber: bigint;
  readonly logIndex: number;
  /** Epoch ms. */
  readonly blockTimestamp: number;
  readonly transactionHash: string;
  readonly previousRound: bigint;
  readonly settledRound: bigint;
  readonly activeRounds: bigint;
  readonly cumulativeWork: bigint;
  readonly blockHeight: bigint;
  /** Number of batches including this one. */
  readonly batches: bigint;
  readonly totalActiveRounds: bigint;
}

export const SETTLEMENTS = "settlements";

/** Returns a number that changes whenever a read of the settlements may have another result; 0 before the first. */
export function settlementChanges(projections: ReadOnlyDatabase): number {
  return readCursor(projections, SETTLEMENTS)?.changes ?? 0;
}

/** Returns the last batch whose block is before an instant (epoch ms); undefined if there is none. */
export function lastSettlementBefore(projections: ReadOnlyDatabase, instant: number): Settlement | undefined {
  const row = readRow<Stored<Settlement>>(
    projections,
    `${SELECT} WHERE block_timestamp < ? ${NEWEST} LIMIT 1`,
    instant,
  );
  return row && settlementOf(row);
}

/** Returns at most `limit` batches with start ≤ blockTimestamp < end, newest first. */
export function settlementsBetween(
  projections: ReadOnlyDatabase,
  start: number,
  end: number,
  limit: number,
): Settlement[] {
  const sql = `${SELECT} WHERE block_timestamp >= ? AND block_timestamp < ? ${NEWEST} LIMIT ${limit}`;
  return readRows<Stored<Settlement>>(projections, sql, start, end).map(settlementOf);
}

/** Returns the batch before another; subtract its totals to get the work and blocks of the later batch. */
export function settlementBefore(
  projections: ReadOnlyDatabase,
  { blockNumber, logIndex }: { readonly blockNumber: bigint; readonly logIndex: number },
): Settlement | undefined {
  const sql = `${SELECT} WHERE (block_number, log_index) < (?, ?) ORDER BY block_number DESC, log_index DESC LIMIT 1`;
  const row = readRow<Stored<Settlement>>(projections, sql, blockNumber, logIndex);
  return row && settlementOf(row);
}

/** Returns the blocks above one height up to another; null bounds if there are none (docs/spec/chain.md#derived). */
export function completedBlocks(previousHeight: bigint, blockHeight: bigint) {
  const completed = blockHeight > previousHeight;
  return {
    firstCompletedBlock: completed ? String(previousHeight + 1n) : null,
    lastCompletedBlock: completed ? String(blockHeight) : null,
    completedBlockCount: String(blockHeight - previousHeight),
  };
}

const SELECT = `SELECT block_number AS blockNumber, log_index AS logIndex, block_timestamp AS blockTimestamp,
  transaction_hash AS transactionHash, previous_round AS previousRound, settled_round AS settledRound,
  active_rounds AS activeRounds, cumulative_work AS cumulativeWork, block_height AS blockHeight, batches,
  total_active_rounds AS totalActiveRounds FROM settlement`;
const NEWEST = "ORDER BY block_timestamp DESC, block_number DESC, log_index DESC";

function settlementOf(row: Stored<Settlement>): Settlement {
  return withBigints<Settlement>(
    row,
    "blockNumber",
    "previousRound",
    "settledRound",
    "activeRounds",
    "cumulativeWork",
    "blockHeight",
    "batches",
    "totalActiveRounds",
  );
}

/** Returns the funding of the rounds above `after` up to and including `through`, in the token's base units. */
export function fundedAmount(projections: ReadOnlyDatabase, after: bigint, through: bigint): bigint {
  const sql = "SELECT amount FROM round_funding WHERE round > ? AND round <= ?";
  let sum = 0n;
  for (const { amount } of eachRow<{ amount: string }>(projections, sql, paddedRound(after), paddedRound(through))) {
    sum += BigInt(amount);
  }
  return sum;
}

export const SETTLEMENT_EVENTS: readonly EventName[] = [
  ["core", "BatchSettled"],
  ["mining", "RoundFunded"],
];

export const settlementFollower: Follower<ChainEvent> = {
  name: SETTLEMENTS,
  version: "1",
  cost: 10,
  apply(projections, events) {
    for (const event of events) (event.contractKind === "core" ? addSettlement : addFunding)(projections, event);
  },
  rewind: (projections, to, budget) =>
    rewindBlocks(to, budget, {
      cost: 10,
      blockBelow(rows) {
        const blocks = ROW_BELOW.flatMap((sql) => readValues<number>(projections, sql, rows));
        return blocks.length === 0 ? undefined : Math.max(...blocks);
      },
      dropAbove: (block) => DROP_ABOVE.reduce((sum, sql) => sum + run(projections, sql, block).changes, 0),
    }),
};

const ROW_BELOW = [
  "SELECT block_number FROM settlement ORDER BY block_number DESC LIMIT 1 OFFSET ?",
  "SELECT block_number FROM round_funding ORDER BY block_number DESC LIMIT 1 OFFSET ?",
];
const DROP_ABOVE = [
  "DELETE FROM settlement WHERE block_number > ?",
  "DELETE FROM round_funding WHERE block_number > ?",
];

function addSettlement(projections: Database, event: ChainEvent): void {
  const last = readRow<{ batches: number; total: string }>(
    projections,
    `SELECT batches, total_active_rounds AS total FROM settlement ORDER BY block_number DESC, log_index DESC LIMIT 1`,
  );
  const activeRounds = textArgument(event, "activeRoundCount");
  run(
    projections,
    "INSERT INTO settlement VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    event.blockNumber,
    event.logIndex,
    event.blockTimestamp,
    event.transactionHash,
    textArgument(event, "previousSettledThroughRound"),
    textArgument(event, "settledThroughRound"),
    activeRounds,
    textArgument(event, "cumulativeWork"),
    textArgument(event, "blockHeight"),
    (last?.batches ?? 0) + 1,
    String(BigInt(last?.total ?? "0") + BigInt(activeRounds)),
  );
}

function addFunding(projections: Database, event: ChainEvent): void {
  run(
    projections,
    "INSERT INTO round_funding VALUES (?, ?, ?, ?)",
    paddedRound(textArgument(event, "round")),
    event.blockNumber,
    event.logIndex,
    textArgument(event, "amount"),
  );
}
