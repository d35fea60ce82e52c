/** A chain that the test extends: its database, and the state that a pass at an instant would return. */

import type { Database } from "better-sqlite3";
import type { Chain } from "../../../src/chain/chain.ts";
import type { ChainEvent, ChainState } from "../../../src/chain/chain-state.ts";
import { SAFE_DEPTH } from "../../../src/values/settlement-limits.ts";
import { addEvents, batchEvents, chainDb, fundingEvent } from "../../support/chain/chain-db.ts";
import { chainState, coreView } from "../../support/chain/chain-state.ts";

const VALIDITY_MS = 600_000;

export class GrownChain implements Chain {
  readonly db: Database = chainDb([], 0);
  #safeBlock = 100n;
  #state: ChainState = chainState();
  #moves = 0;

  /** Adds a block with these logs. */
  mine(logs: (blockNumber: bigint) => readonly ChainEvent[]): void {
    addEvents(this.db, logs(++this.#safeBlock));
    this.db.prepare("UPDATE sync SET stored_through_block = ?").run(Number(this.#safeBlock));
  }

  /** Another branch replaces what is above a block. */
  rewind(to: bigint): void {
    this.db.prepare("DELETE FROM event WHERE block_number > ?").run(Number(to));
    this.db.exec("UPDATE sync SET history = history || '+'");
  }

  /** Adds an empty block and passes over it. `at` is in epoch ms. */
  pass(at: number): void {
    this.mine(() => []);
    const { chain, source } = coreView();
    const early = { ...source, blockNumber: 101n };
    const heights = { safeThroughBlock: this.#safeBlock, indexedThroughBlock: this.#safeBlock + SAFE_DEPTH };
    this.#set({
      ...chainState({ chain: { ...chain, ...heights }, source: early, events: [early] }),
      validUntil: at + VALIDITY_MS,
    });
  }

  /** True during a first sync. */
  isSyncing(): void {
    const unavailable = { status: "unavailable", reason: "not_yet_safe" } as const;
    this.#set({ ...chainState(), core: unavailable, economy: unavailable, isUndecided: true });
  }

  changes = () => this.#moves;
  state = () => this.#state;
  nextChange = () => undefined;
  poll = async () => {};
  concluded = () => true;
  /** All blocks have the same hash; a view shows only one of them. */
  blockHash = async () => coreView().chain.safeBlockHash;
  describe = () => "grown";
  /** Survives its publishers. */
  close = () => {};

  #set(state: ChainState): void {
    this.#state = state;
    this.#moves++;
  }
}

/** Three batches in one block, which lead to the Core's state of every pass, and the funding of their last rounds. */
export function settledBlock(block: bigint, time: number): ChainEvent[] {
  const batches = batchEvents([
    { block, logIndex: 0, time, rounds: 16n, activeRounds: 9n, work: 5_000n },
    { block, logIndex: 1, time, rounds: 16n, activeRounds: 0n, work: 0n },
    { block, logIndex: 2, time, rounds: 8n, activeRounds: 8n, work: 7_345n },
  ]);
  return [...batches, fundingEvent(block, 3, 16n, 7n), fundingEvent(block, 4, 40n, 9n)];
}
