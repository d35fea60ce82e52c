/** Derives the activity's events from the chain's events (docs/spec/api.md#activity-types). */
import type { Database } from "better-sqlite3";
import type { ChainEvent, EventPosition } from "../../chain/chain-state.ts";
import { type EventName, textArgument } from "../../chain/store/read-events.ts";
import { chainEventKey } from "../../values/activity-key.ts";
import { type Follower, rewindBlocks } from "../follow.ts";
import { completedBlocks, settlementBefore } from "../settlements/settlements.ts";
import { addActivityEvents, chainBlockBelow, dropChainEventsAbove, type NewActivityEvent } from "./activity-events.ts";
import { CHAIN_TYPE_NAMES, CHAIN_TYPES, type ChainEventType } from "./event-types.ts";

type Payload = (event: ChainEvent, projections: Database) => Readonly<Record<string, unknown>>;

const PAYLOADS: Readonly<Record<ChainEventType, Payload>> = {
  "system.settlement_completed": settlementCompleted,
  "system.round_released": (event) => ({
    round: textArgument(event, "round"),
    amountBaseUnits: textArgument(event, "amount"),
  }),
  "player.unit_minted": (event) => ({
    player: textArgument(event, "player"),
    unitId: textArgument(event, "unitId"),
    unitType: textArgument(event, "unitType"),
  }),
  "player.units_merged": (event) => ({
    player: textArgument(event, "player"),
    resultUnitId: textArgument(event, "resultUnitId"),
    consumedUnitIds: (JSON.parse(textArgument(event, "consumedUnitIds")) as unknown[]).map(String),
    resultUnitType: textArgument(event, "resultUnitType"),
  }),
  "player.rewards_claimed": (event) => ({
    player: textArgument(event, "player"),
    throughRound: textArgument(event, "throughRound"),
    amountBaseUnits: textArgument(event, "amount"),
  }),
};

export const ACTIVITY_EVENTS: readonly EventName[] = CHAIN_TYPE_NAMES.map((type) => [
  CHAIN_TYPES[type].contract,
  CHAIN_TYPES[type].eventName,
]);

export const CHAIN_ACTIVITY = "activity";

/** Must run after the settlement follower: a completion needs the difference of two settlements. */
export const chainActivityFollower: Follower<ChainEvent> = {
  name: CHAIN_ACTIVITY,
  version: "1",
  cost: 40,
  apply(projections, events) {
    addActivityEvents(
      projections,
      events.map((event) => activityOf(event, projections)),
    );
  },
  rewind: (projections, to, budget) =>
    rewindBlocks(to, budget, {
      cost: 40,
      blockBelow: (rows) => chainBlockBelow(projections, rows),
      dropAbove: (block) => dropChainEventsAbove(projections, block),
    }),
};

function activityOf(event: ChainEvent, projections: Database): NewActivityEvent {
  const type = CHAIN_TYPE_NAMES.find((name) => isOfType(event, name));
  if (type === undefined) throw new Error(`${event.contractKind} ${event.eventName} is not in the activity`);
  return {
    key: chainEventKey(event.blockTimestamp, event),
    category: CHAIN_TYPES[type].category,
    blockNumber: event.blockNumber,
    type,
    source: {
      contractAddress: event.contractAddress,
      blockNumber: String(event.blockNumber),
      blockHash: event.blockHash,
      blockTimestamp: event.blockTimestamp,
      transactionHash: event.transactionHash,
      transactionIndex: event.transactionIndex,
      logIndex: event.logIndex,
    } satisfies ChainEventSource,
    payload: PAYLOADS[type](event, projections),
  };
}

function isOfType({ contractKind, eventName }: ChainEvent, type: ChainEventType): boolean {
  return CHAIN_TYPES[type].contract === contractKind && CHAIN_TYPES[type].eventName === eventName;
}

/** The part of a chain event that is stored; blockTimestamp in epoch ms. */
export interface ChainEventSource extends Omit<EventPosition, "blockNumber"> {
  readonly contractAddress: string;
  /** Decimal string. */
  readonly blockNumber: string;
}

function settlementCompleted(event: ChainEvent, projections: Database) {
  const before = settlementBefore(projections, event);
  const cumulativeWork = BigInt(textArgument(event, "cumulativeWork"));
  const blockHeight = BigInt(textArgument(event, "blockHeight"));
  const { completedBlockCount, ...bounds } = completedBlocks(before?.blockHeight ?? 0n, blockHeight);
  return {
    previousSettledThroughRound: textArgument(event, "previousSettledThroughRound"),
    settledThroughRound: textArgument(event, "settledThroughRound"),
    activeRoundCount: textArgument(event, "activeRoundCount"),
    workAdded: String(cumulativeWork - (before?.cumulativeWork ?? 0n)),
    completedBlockCount,
    ...bounds,
    cumulativeWork: String(cumulativeWork),
    blockHeight: String(blockHeight),
  };
}
