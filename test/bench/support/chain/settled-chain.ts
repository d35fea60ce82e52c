/**
 * A chain database with any number of settled batches, as chain passes would have stored them. More batches can be
 * added one at a time.
 */
import SqliteDatabase, { type Database } from "better-sqlite3";
import type { ChainEvent, ChainState } from "../../../../src/chain/chain-state.ts";
import { CHAIN_SCHEMA } from "../../../../src/chain/store/schema.ts";
import { addEvents, WORK_PER_BLOCK } from "../../../support/chain/chain-db.ts";
import {
  AT,
  address,
  chainEvent,
  chainState,
  coreView,
  DEPLOYMENT_BLOCK,
  hash,
  MINING,
} from "../../../support/chain/chain-state.ts";

/** Rounds per batch. All have work, so a batch covers 160 minutes. */
const ROUNDS = 16;
const BATCH_MS = ROUNDS * 600_000;
const BLOCK_MS = 12_000;
const BLOCKS = BATCH_MS / BLOCK_MS;
const WORK = 2_500n;
const CONFIRMED = 11;

export class SettledChain {
  readonly db: Database;
  #batches = 0;

  /** Creates a database with this many batches. */
  constructor(path: string, batches: number) {
    this.db = new SqliteDatabase(path);
    this.db.pragma("journal_mode = WAL");
    this.db.pragma("synchronous = NORMAL");
    this.db.exec(CHAIN_SCHEMA);
    this.db.exec("INSERT INTO sync (id, binding, history) VALUES (1, '{}', 'first')");
    while (this.#batches < batches) {
      this.db.transaction(() => {
        for (let n = 0; n < 1000 && this.#batches < batches; n++) addEvents(this.db, this.#next());
      })();
    }
    this.#store();
  }

  /** Adds a safe block with one settlement, funding for its rounds, a release and a claim. */
  settle(): void {
    const events = this.#next();
    this.db.transaction(() => {
      addEvents(this.db, events);
      this.#store();
    })();
  }

  /** Epoch ms at which the newest batch became safe. */
  get at(): number {
    return timeOf(this.#batches) + CONFIRMED * BLOCK_MS;
  }

  /** The result of a pass at `at`. */
  state(): ChainState {
    const view = coreView();
    const safeBlock = blockOf(this.#batches);
    const cumulativeWork = WORK * BigInt(this.#batches);
    const [source] = batchEvents(this.#batches) as [ChainEvent];
    const events = Array.from({ length: 25 }, (_, n) => batchEvents(this.#batches - n)[0] as ChainEvent);
    const core = {
      ...view.core,
      settledThroughRound: BigInt(this.#batches * ROUNDS),
      cumulativeWork,
      blockHeight: cumulativeWork / WORK_PER_BLOCK,
      currentWork: cumulativeWork % WORK_PER_BLOCK,
    };
    const chain = {
      ...view.chain,
      safeThroughBlock: BigInt(safeBlock),
      indexedThroughBlock: BigInt(safeBlock + CONFIRMED),
      safeBlockHash: hash(safeBlock),
      safeBlockTimestamp: timeOf(this.#batches),
    };
    const state = chainState({ chain, core, source, events }, { mintedThroughRound: core.settledThroughRound });
    return { ...state, validUntil: this.at + 600_000 };
  }

  #next(): ChainEvent[] {
    return batchEvents(++this.#batches);
  }

  #store(): void {
    this.db.prepare("UPDATE sync SET stored_through_block = ?").run(blockOf(this.#batches));
  }
}

/** Batch numbers start at 1. */
function blockOf(batch: number): number {
  return Number(DEPLOYMENT_BLOCK) + batch * BLOCKS;
}

function timeOf(batch: number): number {
  return AT + batch * BATCH_MS;
}

function batchEvents(batch: number): ChainEvent[] {
  const [through, work] = [batch * ROUNDS, WORK * BigInt(batch)];
  const settled = {
    digest: hash(batch),
    reporter: address(0x4e),
    settledThroughRound: through,
    nonce: batch,
    previousSettledThroughRound: through - ROUNDS,
    activeRoundCount: ROUNDS,
    cumulativeWork: work,
    blockHeight: work / WORK_PER_BLOCK,
  };
  const funded = Array.from({ length: ROUNDS }, (_, n) => ({ round: through - ROUNDS + n + 1, amount: 10n ** 18n }));
  const claim = { player: address(0x9a), throughRound: through, amount: 77 };
  const logs: [string, object][] = [
    ["BatchSettled", settled],
    ...funded.map((values): [string, object] => ["RoundFunded", values]),
    ["RoundReleased", { round: through, amount: 5 }],
    ["RewardsClaimed", claim],
  ];
  return logs.map(([eventName, values], logIndex) =>
    chainEvent({
      ...(eventName === "BatchSettled" ? {} : { contractKind: "mining", contractAddress: MINING }),
      eventName,
      blockNumber: BigInt(blockOf(batch)),
      logIndex,
      blockTimestamp: timeOf(batch),
      arguments: Object.entries(values).map(([name, value]) => ({ name, value: String(value) })),
    }),
  );
}
