/** The chain's part of the activity feed (docs/spec/api.md#activity-types): five types of event. */
import type { Database } from "better-sqlite3";
import { chainEventKey } from "../../values/activity-key.ts";
import { argument, type ChainEvents, type Follower, followEvents, type StoredEvent } from "../chain-events.ts";
import { settlementBefore } from "../settlements/settlements.ts";
import type { StepBudget } from "../step-budget.ts";
import { addActivityEvent, chainBlockBelow, dropChainEventsAbove, type EventCategory } from "./activity-events.ts";

/**
 * One step towards the safe block, true while there is more; after all of the settlements, whose deltas the completions
 * name.
 */
export function advanceChainActivity(events: ChainEvents, budget: StepBudget): boolean {
  return followEvents(follower, events, budget);
}

interface Kind {
  readonly category: EventCategory;
  readonly type: string;
  payload(event: StoredEvent, projections: Database): Readonly<Record<string, unknown>>;
}

const KINDS: Readonly<Record<string, Kind>> = {
  BatchSettled: { category: "protocol", type: "system.settlement_completed", payload: settlementCompleted },
  RoundReleased: {
    category: "protocol",
    type: "system.round_released",
    payload: (event) => ({ round: argument(event, "round"), amountBaseUnits: argument(event, "amount") }),
  },
  UnitMinted: {
    category: "players",
    type: "player.unit_minted",
    payload: (event) => ({
      player: argument(event, "player"),
      unitId: argument(event, "unitId"),
      unitType: argument(event, "unitType"),
    }),
  },
  UnitsMerged: {
    category: "players",
    type: "player.units_merged",
    payload: (event) => ({
      player: argument(event, "player"),
      resultUnitId: argument(event, "resultUnitId"),
      consumedUnitIds: (JSON.parse(argument(event, "consumedUnitIds")) as unknown[]).map(String),
      resultUnitType: argument(event, "resultUnitType"),
    }),
  },
  RewardsClaimed: {
    category: "players",
    type: "player.rewards_claimed",
    payload: (event) => ({
      player: argument(event, "player"),
      throughRound: argument(event, "throughRound"),
      amountBaseUnits: argument(event, "amount"),
    }),
  },
};

const follower: Follower = {
  projection: "activity",
  events: [
    ["core", "BatchSettled"],
    ["mining", "RoundReleased"],
    ["collection", "UnitMinted"],
    ["collection", "UnitsMerged"],
    ["mining", "RewardsClaimed"],
  ],
  cost: 40,
  add: (projections, event) => {
    const kind = KINDS[event.eventName];
    if (kind === undefined) throw new Error(`${event.eventName} is no activity`);
    addActivityEvent(projections, {
      key: chainEventKey(event.blockTimestamp, event),
      category: kind.category,
      blockNumber: event.blockNumber,
      type: kind.type,
      source: {
        contractAddress: event.contractAddress,
        blockNumber: event.blockNumber,
        blockHash: event.blockHash,
        blockTimestamp: event.blockTimestamp,
        transactionHash: event.transactionHash,
        transactionIndex: event.transactionIndex,
        logIndex: event.logIndex,
      } satisfies ChainEventSource,
      payload: kind.payload(event, projections),
    });
  },
  blockBelow: chainBlockBelow,
  dropAbove: dropChainEventsAbove,
};

/** What a chain event keeps of its log; the timestamp in epoch ms. */
export interface ChainEventSource {
  readonly contractAddress: string;
  readonly blockNumber: number;
  readonly blockHash: string;
  readonly blockTimestamp: number;
  readonly transactionHash: string;
  readonly transactionIndex: number;
  readonly logIndex: number;
}

function settlementCompleted(event: StoredEvent, projections: Database) {
  const before = settlementBefore(projections, event);
  const cumulativeWork = BigInt(argument(event, "cumulativeWork"));
  const blockHeight = BigInt(argument(event, "blockHeight"));
  const previousHeight = before?.blockHeight ?? 0n;
  const completed = blockHeight > previousHeight;
  return {
    previousSettledThroughRound: argument(event, "previousSettledThroughRound"),
    settledThroughRound: argument(event, "settledThroughRound"),
    activeRoundCount: argument(event, "activeRoundCount"),
    workAdded: String(cumulativeWork - (before?.cumulativeWork ?? 0n)),
    completedBlockCount: String(blockHeight - previousHeight),
    firstCompletedBlock: completed ? String(previousHeight + 1n) : null,
    lastCompletedBlock: completed ? String(blockHeight) : null,
    cumulativeWork: String(cumulativeWork),
    blockHeight: String(blockHeight),
  };
}
