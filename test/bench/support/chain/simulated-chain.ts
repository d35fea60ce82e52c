/**
 * Simulates a settlement chain with a block every 12 s, without a node. A batch is mined a few blocks after submission,
 * funds its rounds there, and is safe twelve blocks deep.
 */
import type { Database } from "better-sqlite3";
import type { Plan } from "../../../../demo/history/plan.ts";
import type { Batch, Settlement } from "../../../../demo/history/settlement.ts";
import type { Chain } from "../../../../src/chain/chain.ts";
import type { ChainEvent, ChainState } from "../../../../src/chain/chain-state.ts";
import { SAFE_DEPTH } from "../../../../src/values/settlement-limits.ts";
import { rewardsClaimed, unitMinted } from "../../../publish/activity/chain-logs.ts";
import { addEvents, chainDb, fundingEvent } from "../../../support/chain/chain-db.ts";
import {
  chainEvent,
  chainState,
  coreView,
  DEPLOYMENT_BLOCK,
  economyView,
  hash,
} from "../../../support/chain/chain-state.ts";

export const BLOCK_MS = 12_000;

const SENT_AFTER_MS = 2_000;
const GRACE_MS = 15_000;
const VALIDITY_MS = 600_000;
/** The wait for inclusion cycles from 0 to 4 extra blocks, so that batches fall at every phase of a minute. */
const EXTRA_BLOCKS = 5;
const NEWEST_EVENTS = 25;
/** Batches between two claims, and between two minted units. */
const BATCHES_PER_CLAIM = 6;
const BATCHES_PER_UNIT = 10;

interface Settled {
  readonly batch: Batch;
  readonly block: bigint;
  readonly event: ChainEvent;
}

export class SimulatedChain implements Chain, Settlement {
  readonly db: Database;
  readonly #plan: Plan;
  readonly #settled: Settled[] = [];
  #safe = DEPLOYMENT_BLOCK;
  #changes = 0;
  #goodPassAt = 0;
  #state: ChainState | undefined;

  constructor(plan: Plan) {
    this.#plan = plan;
    this.db = chainDb([], Number(DEPLOYMENT_BLOCK));
  }

  submitted(batch: Batch, at: number): { readonly transactionHash: string; readonly submittedAt: number } | undefined {
    const submittedAt = batch.preparedAt + SENT_AFTER_MS;
    if (submittedAt > at) return undefined;
    const { event } = this.#find(batch) ?? this.#settle(batch, submittedAt);
    return { transactionHash: event.transactionHash, submittedAt };
  }

  confirmedAt(batch: Batch, at: number): number | undefined {
    const block = this.#find(batch)?.block;
    const confirmedAt = block === undefined ? Number.POSITIVE_INFINITY : this.#timeOf(block + SAFE_DEPTH);
    return confirmedAt > at ? undefined : confirmedAt;
  }

  async poll(now: number): Promise<void> {
    const safe = this.#blockAt(now) - SAFE_DEPTH;
    this.#goodPassAt = now;
    if (safe <= this.#safe) return;
    this.#safe = safe;
    this.#changes++;
    this.#state = undefined;
    this.db.prepare("UPDATE sync SET stored_through_block = ?").run(Number(safe));
  }

  state(): ChainState {
    this.#state ??= this.#read();
    return { ...this.#state, validUntil: this.#goodPassAt + VALIDITY_MS };
  }

  changes(): number {
    return this.#changes;
  }

  nextChange(now: number): number | undefined {
    const silentAt = this.#goodPassAt + GRACE_MS;
    return silentAt > now ? silentAt : undefined;
  }

  concluded(): boolean {
    return true;
  }

  async blockHash(number: bigint): Promise<string> {
    return hash(Number(number));
  }

  describe(): unknown {
    return "simulated";
  }

  close(): void {
    this.db.close();
  }

  #find(batch: Batch): Settled | undefined {
    return this.#settled.findLast(({ batch: { submissionId } }) => submissionId === batch.submissionId);
  }

  #settle(batch: Batch, submittedAt: number): Settled {
    const block = this.#blockAt(submittedAt) + 1n + BigInt(this.#settled.length % EXTRA_BLOCKS);
    const at = { blockNumber: block, blockTimestamp: this.#timeOf(block) };
    const { expected } = batch;
    const event = chainEvent({
      eventName: "BatchSettled",
      logIndex: 0,
      ...at,
      arguments: Object.entries({
        digest: hash(Number(block)),
        reporter: coreView().configuration.reporter,
        settledThroughRound: batch.settledThroughRound,
        nonce: this.#settled.length,
        previousSettledThroughRound: batch.previousSettledThroughRound,
        activeRoundCount: batch.activeRoundCount,
        cumulativeWork: expected.cumulativeWork,
        blockHeight: expected.blockHeight,
      }).map(([name, value]) => ({ name, value: String(value) })),
    });
    const amount = BigInt(expected.completedBlockCount) * economyView().baselineRewardPerBlock;
    const events = [event, { ...fundingEvent(block, 1, BigInt(batch.settledThroughRound), amount), ...at }];
    const number = this.#settled.length + 1;
    if (number % BATCHES_PER_CLAIM === 0) events.push(rewardsClaimed({ ...at, logIndex: 2 }));
    if (number % BATCHES_PER_UNIT === 0) events.push(unitMinted({ ...at, logIndex: 3 }, BigInt(number)));
    addEvents(this.db, events);
    const settled = { batch, block, event };
    this.#settled.push(settled);
    return settled;
  }

  #read(): ChainState {
    const base = coreView();
    const safe = this.#settled.filter(({ block }) => block <= this.#safe);
    const { expected, settledThroughRound = 0 } = safe.at(-1)?.batch ?? {};
    const events = safe.length === 0 ? base.events : safe.slice(-NEWEST_EVENTS).map(({ event }) => event);
    return chainState(
      {
        chain: {
          ...base.chain,
          safeThroughBlock: this.#safe,
          indexedThroughBlock: this.#safe + SAFE_DEPTH,
          safeBlockHash: hash(Number(this.#safe)),
          safeBlockTimestamp: this.#timeOf(this.#safe),
        },
        configuration: { ...base.configuration, genesisTimestamp: BigInt(this.#plan.genesisMs / 1000) },
        core: {
          ...base.core,
          settledThroughRound: BigInt(settledThroughRound),
          cumulativeWork: BigInt(expected?.cumulativeWork ?? 0),
          blockHeight: BigInt(expected?.blockHeight ?? 0),
          currentWork: BigInt(expected?.currentWork ?? 0),
          authorizationNonce: BigInt(safe.length),
        },
        source: events.at(-1) ?? base.source,
        events: events.toReversed(),
      },
      { mintedThroughRound: BigInt(settledThroughRound) },
    );
  }

  #blockAt(at: number): bigint {
    return DEPLOYMENT_BLOCK + BigInt(Math.floor((at - this.#plan.from) / BLOCK_MS));
  }

  #timeOf(block: bigint): number {
    return this.#plan.from + Number(block - DEPLOYMENT_BLOCK) * BLOCK_MS;
  }
}
