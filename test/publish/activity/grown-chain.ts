/** A chain that grows by hand, as a publisher reads it: its own file, and what a pass at an instant has found. */
import type { Database } from "better-sqlite3";
import type { Chain } from "../../../src/chain/chain.ts";
import type { ChainEvent, ChainState } from "../../../src/chain/chain-state.ts";
import { addEvents, batchEvents, chainDb, fundingEvent } from "../../support/chain/chain-db.ts";
import { chainState, coreView } from "../../support/chain/chain-state.ts";

const WORD_MS = 600_000;

export class GrownChain implements Chain {
  readonly db: Database = chainDb([], 0);
  #safeBlock = 100n;
  #state: ChainState = chainState();
  #moves = 0;

  /** A block more, with these logs. */
  mine(logs: (blockNumber: bigint) => readonly ChainEvent[]): void {
    addEvents(this.db, logs(++this.#safeBlock));
    this.db.prepare("UPDATE sync SET stored_through_block = ?").run(Number(this.#safeBlock));
  }

  /** As `noonmark chain rewind --to` does. */
  rewind(to: bigint): void {
    this.db.prepare("DELETE FROM event WHERE block_number > ?").run(Number(to));
    this.db.exec("UPDATE sync SET history = history || '+'");
  }

  /** Finds an empty block more. `at` in epoch ms. */
  pass(at: number): void {
    this.mine(() => []);
    const { chain, source } = coreView();
    const early = { ...source, blockNumber: 101n };
    const heights = { safeThroughBlock: this.#safeBlock, indexedThroughBlock: this.#safeBlock + 11n };
    this.#set({
      ...chainState({ chain: { ...chain, ...heights }, source: early, events: [early] }),
      validUntil: at + WORD_MS,
    });
  }

  /** A first sync under way. */
  isSyncing(): void {
    const unavailable = { status: "unavailable", reason: "not_yet_safe" } as const;
    this.#set({ ...chainState(), core: unavailable, economy: unavailable, isSettling: true });
  }

  changes = () => this.#moves;
  state = () => this.#state;
  nextChange = () => undefined;
  poll = async () => {};
  noticeRewrite(): void {}
  concluded = () => true;
  /** All its blocks have the hash of the only one that a view shows. */
  blockHash = async () => coreView().chain.safeBlockHash;
  describe = () => "grown";
  /** It outlives its publishers. */
  close = () => {};

  #set(state: ChainState): void {
    this.#state = state;
    this.#moves++;
  }
}

/** Three batches in one block, which come to the Core's state that every pass finds, and what funds their last rounds. */
export function settledBlock(block: bigint, time: number): ChainEvent[] {
  const batches = batchEvents([
    { block, logIndex: 0, time, rounds: 16n, activeRounds: 9n, work: 5_000n },
    { block, logIndex: 1, time, rounds: 16n, activeRounds: 0n, work: 0n },
    { block, logIndex: 2, time, rounds: 8n, activeRounds: 8n, work: 7_345n },
  ]);
  return [...batches, fundingEvent(block, 3, 16n, 7n), fundingEvent(block, 4, 40n, 9n)];
}
