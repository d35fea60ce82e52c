/**
 * A deployment with all possible data on every route: three ingested days of the demo's wheel, a chain with settled
 * batches, an active submission, and players. It is published by a real publisher.
 */
import type { Database } from "better-sqlite3";
import { type DemoRecord, planFrom } from "../../../demo/history/plan.ts";
import { DAY, HOUR } from "../../../demo/history/story.ts";
import { Wheel } from "../../../demo/history/wheel.ts";
import type { Chain } from "../../../src/chain/chain.ts";
import type { ChainEvent } from "../../../src/chain/chain-state.ts";
import { ROUND_MS } from "../../../src/values/round.ts";
import { ingest } from "../../ledger/ingest.ts";
import { KINDS } from "../../publish/activity/chain-logs.ts";
import { INSTALLATION, START, World } from "../../publish/world.ts";
import { batchEvents, chainDb, settledChain } from "../../support/chain/chain-db.ts";

export interface FullWorld {
  readonly world: World;
  /** Epoch ms as of which everything was published. */
  readonly at: number;
}

const DAYS = 3;
const FIRST_BLOCK = 110n;
const MORE_EVENTS = 60;

/**
 * The caller must call `world.end()`. With `until` (epoch ms), the last receipt is at most thirty seconds older.
 * Otherwise the history ends just after a batch was sent.
 */
export async function fullWorld(until?: number): Promise<FullWorld> {
  const world = new World();
  const from = Math.floor((until ?? START) / ROUND_MS) * ROUND_MS - DAYS * DAY;
  const wheel = new Wheel(planFrom(3, INSTALLATION, from, from + HOUR));
  const records: DemoRecord[] = [];
  /** The tick in which a batch was sent is the last one. */
  let sentAfter: number | undefined;
  for (const record of wheel.history(until ?? START + 2 * DAY)) {
    if (sentAfter !== undefined && wheel.at > sentAfter) break;
    records.push(record);
    // A batch was just sent. It is the active submission for two and a half minutes.
    const isSent = record.type === "submission" && record.lifecycle === "submitted";
    if (until === undefined && sentAfter === undefined && wheel.at > START && isSent) sentAfter = wheel.at;
  }
  if (until === undefined && sentAfter === undefined) throw new Error("the wheel has sent no batch");
  const { rejected, rejections } = ingest(world.ledger, records);
  if (rejected > 0) throw new Error(JSON.stringify(rejections[0]));
  const at = wheel.at + 1_500;
  const worker = await world.work({ chain: chainOf(world.ledger, from, at) });
  const { failures } = await worker.cycle(at);
  await worker.stop();
  if (failures.length > 0) throw new Error(JSON.stringify(failures));
  return { world, at };
}

interface Confirmed {
  readonly hash: string;
  readonly at: number;
  readonly previous: number;
  readonly settled: number;
  readonly active: number;
  readonly work: number;
}

/** A chain with the settlements of the ledger's confirmed batches. */
function chainOf(ledger: Database, from: number, at: number): Chain {
  const confirmed = ledger
    .prepare(
      `SELECT transaction_hash AS hash, confirmed_at AS at, CAST(previous_settled_through_round AS INTEGER) AS previous,
         CAST(settled_through_round AS INTEGER) AS settled, active_round_count AS active,
         CAST(expected_cumulative_work AS INTEGER) AS work
       FROM submission WHERE lifecycle = 'confirmed' ORDER BY CAST(settled_through_round AS INTEGER)`,
    )
    .all() as Confirmed[];
  const batches = confirmed.map((one, index) => ({
    block: FIRST_BLOCK + BigInt(index * 10),
    time: one.at,
    rounds: BigInt(one.settled - one.previous),
    activeRounds: BigInt(one.active),
    work: BigInt(one.work - (confirmed[index - 1]?.work ?? 0)),
  }));
  const settled = batchEvents(batches).map((event, index) => ({
    ...event,
    transactionHash: confirmed[index]?.hash ?? "",
  }));
  const events = [...settled, ...playersBetween(settled)];
  const newest = settled.at(-1) as ChainEvent;
  const state = settledChain(
    batches,
    { mintedThroughRound: BigInt(confirmed.at(-3)?.settled ?? 0) },
    newest.blockNumber + 9n,
  );
  if (state.core.status !== "available") throw new Error("the chain is unavailable");
  const { view } = state.core;
  const lastSettlement = { confirmedAt: newest.blockTimestamp, transactionHash: newest.transactionHash };
  const genesisTimestamp = BigInt(from / 1000);
  const whole = {
    ...state,
    core: {
      status: "available" as const,
      view: {
        ...view,
        configuration: { ...view.configuration, genesisTimestamp },
        source: newest,
        events: settled.toReversed().slice(0, 25),
      },
    },
    safeCore: { ...view.core, lastSettlement },
    safeCoreBlock: { number: view.chain.safeThroughBlock, hash: view.chain.safeBlockHash },
    genesisTimestamp,
    validUntil: at + 600_000,
  };
  const db = chainDb(events, Number(newest.blockNumber + 9n));
  return {
    db,
    changes: () => 1,
    state: () => whole,
    nextChange: () => undefined,
    poll: async () => {},
    concluded: () => true,
    blockHash: async () => view.chain.safeBlockHash,
    describe: () => "full",
    close: () => db.close(),
  };
}

/** Other logs, each in the block after a batch. */
function playersBetween(settled: readonly ChainEvent[]): ChainEvent[] {
  return Array.from({ length: MORE_EVENTS }, (_, index) => {
    const batch = settled[index % (settled.length - 1)] as ChainEvent;
    const kind = KINDS[index % KINDS.length] ?? KINDS[0];
    const turn = BigInt(Math.floor(index / (settled.length - 1)));
    return kind({
      blockNumber: batch.blockNumber + 1n + turn,
      logIndex: index % 7,
      blockTimestamp: batch.blockTimestamp + 12_000 * (1 + Number(turn)),
    });
  });
}
