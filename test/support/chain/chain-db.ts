/** A chain database with hand-written events, and a settlement history that matches its Core state. */

import SqliteDatabase, { type Database } from "better-sqlite3";
import type { ChainEvent, ChainState, EconomyView } from "../../../src/chain/chain-state.ts";
import { CHAIN_SCHEMA } from "../../../src/chain/store/schema.ts";
import { openProjectionsInMemory } from "../../../src/projections/open.ts";
import { SAFE_DEPTH } from "../../../src/values/settlement-limits.ts";
import { AT, address, chainEvent, chainState, coreView, DEPLOYMENT_BLOCK, hash, MINING } from "./chain-state.ts";

export const projectionsDb: () => Database = openProjectionsInMemory;

/** A database synced through block `storedThrough`. Another `history` means that the file was wiped or rewound. */
export function chainDb(events: readonly ChainEvent[], storedThrough = 500, history = "first"): Database {
  const db = new SqliteDatabase(":memory:");
  db.exec(CHAIN_SCHEMA);
  db.prepare(
    `INSERT INTO sync (id, binding, history, stored_through_block, stored_through_hash, indexed_through_block)
     VALUES (1, '{}', ?, ?, ?, ?)`,
  ).run(history, storedThrough, hash(storedThrough), storedThrough + Number(SAFE_DEPTH));
  addEvents(db, events);
  return db;
}

export function addEvents(db: Database, events: readonly ChainEvent[]): void {
  const insert = db.prepare("INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (const event of events) {
    insert.run(
      Number(event.blockNumber),
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

export interface Batch {
  readonly block: bigint;
  readonly logIndex?: number;
  /** Epoch ms of the block. */
  readonly time: number;
  /** The number of rounds that it settles. */
  readonly rounds: bigint;
  readonly activeRounds: bigint;
  readonly work: bigint;
}

export const WORK_PER_BLOCK = 1000n;

/** The BatchSettled events of consecutive batches, oldest first. */
export function batchEvents(batches: readonly Batch[]): ChainEvent[] {
  let [round, work] = [0n, 0n];
  return batches.map((batch, index) => {
    const previous = round;
    round += batch.rounds;
    work += batch.work;
    return chainEvent({
      eventName: "BatchSettled",
      blockNumber: batch.block,
      logIndex: batch.logIndex ?? 0,
      blockTimestamp: batch.time,
      arguments: [
        { name: "digest", value: hash(index + 1) },
        { name: "reporter", value: address(0x4e) },
        { name: "settledThroughRound", value: String(round) },
        { name: "nonce", value: String(index) },
        { name: "previousSettledThroughRound", value: String(previous) },
        { name: "activeRoundCount", value: String(batch.activeRounds) },
        { name: "cumulativeWork", value: String(work) },
        { name: "blockHeight", value: String(work / WORK_PER_BLOCK) },
      ],
    });
  });
}

export function fundingEvent(block: bigint, logIndex: number, round: bigint, amount: bigint): ChainEvent {
  return chainEvent({
    contractKind: "mining",
    contractAddress: MINING,
    eventName: "RoundFunded",
    blockNumber: block,
    logIndex,
    arguments: [
      { name: "round", value: String(round) },
      { name: "amount", value: String(amount) },
    ],
  });
}

/** The state of a chain whose Core has settled these batches, safe through `safeBlock`. */
export function settledChain(
  batches: readonly Batch[],
  economy: Partial<EconomyView> = {},
  safeBlock = 500n,
): ChainState {
  const cumulativeWork = batches.reduce((sum, { work }) => sum + work, 0n);
  const view = coreView();
  const source = batchEvents(batches).at(-1) ?? view.source;
  return chainState(
    {
      chain: { ...view.chain, safeThroughBlock: safeBlock, indexedThroughBlock: safeBlock + SAFE_DEPTH },
      core: {
        ...view.core,
        settledThroughRound: batches.reduce((sum, { rounds }) => sum + rounds, 0n),
        cumulativeWork,
        blockHeight: cumulativeWork / WORK_PER_BLOCK,
        currentWork: cumulativeWork % WORK_PER_BLOCK,
        workPerBlock: WORK_PER_BLOCK,
      },
      source,
      events: [source],
    },
    economy,
  );
}

/** `count` batches in ascending order, `hoursApart` hours hoursApart. The newest is `hoursAgo` hours before AT. */
export function regularBatches(count: number, hoursAgo: number, hoursApart: number): Batch[] {
  return Array.from({ length: count }, (_, index) => ({
    block: DEPLOYMENT_BLOCK + 1n + BigInt(index * 10),
    time: AT - Math.round((hoursAgo + (count - 1 - index) * hoursApart) * 3_600_000),
    rounds: 16n,
    activeRounds: BigInt(index % 17),
    work: BigInt(index % 3) * 700n + 100n,
  }));
}
