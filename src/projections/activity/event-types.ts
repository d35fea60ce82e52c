/** The types of the activity's events (docs/spec/api.md#activity-types), in the order in which the API lists them. */

import { namesOf } from "../../values/unknown.ts";
import type { EventCategory } from "./tile-tree.ts";

interface ChainType {
  readonly category: Exclude<EventCategory, "measurement">;
  /** The contract that emits the event: its kind, which is also its name among the `identities` of the body. */
  readonly contract: "core" | "mining" | "collection";
  readonly eventName: string;
}

/**
 * The event types that come from the chain. For a new row, change the version of `chainActivityFollower`, so that it
 * follows the earlier events too. If the event is also new in src/chain/abi.ts, raise CHAIN_SCHEMA_VERSION, so that its
 * earlier events are read.
 */
export const CHAIN_TYPES = {
  "system.settlement_completed": { category: "protocol", contract: "core", eventName: "BatchSettled" },
  "system.round_released": { category: "protocol", contract: "mining", eventName: "RoundReleased" },
  "player.unit_minted": { category: "players", contract: "collection", eventName: "UnitMinted" },
  "player.units_merged": { category: "players", contract: "collection", eventName: "UnitsMerged" },
  "player.rewards_claimed": { category: "players", contract: "mining", eventName: "RewardsClaimed" },
} as const satisfies Readonly<Record<string, ChainType>>;

export type ChainEventType = keyof typeof CHAIN_TYPES;
export const CHAIN_TYPE_NAMES = namesOf(CHAIN_TYPES);

/** `milestone-policy.ts` decides which receipts cause these events. */
export const MEASUREMENT_TYPES = [
  "measurement.lifetime_distance_milestone",
  "measurement.daily_distance_milestone",
  "measurement.speed_milestone",
  "measurement.speed_record",
  "measurement.distance_streak",
] as const;
export type MeasurementEventType = (typeof MEASUREMENT_TYPES)[number];
