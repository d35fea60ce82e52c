/** The types of the activity's events (docs/spec/api.md#activity-types), in the order in which the API lists them. */
import type { EventCategory } from "./tile-tree.ts";

interface ChainType {
  readonly category: Exclude<EventCategory, "measurement">;
  /** The contract that emits it: its kind, and its name among the `identities` of the body. */
  readonly contract: "core" | "mining" | "collection";
  readonly eventName: string;
}

/**
 * One row for each type of the chain. With another row `chainActivityFollower` needs another version, so that it follows the earlier
 * events; an event that is new in src/chain/abi.ts needs another CHAIN_SCHEMA_VERSION, so that its earlier logs are read.
 */
export const CHAIN_TYPES = {
  "system.settlement_completed": { category: "protocol", contract: "core", eventName: "BatchSettled" },
  "system.round_released": { category: "protocol", contract: "mining", eventName: "RoundReleased" },
  "player.unit_minted": { category: "players", contract: "collection", eventName: "UnitMinted" },
  "player.units_merged": { category: "players", contract: "collection", eventName: "UnitsMerged" },
  "player.rewards_claimed": { category: "players", contract: "mining", eventName: "RewardsClaimed" },
} as const satisfies Readonly<Record<string, ChainType>>;

export type ChainEventType = keyof typeof CHAIN_TYPES;
export const CHAIN_TYPE_NAMES = Object.keys(CHAIN_TYPES) as ChainEventType[];

/** `milestone-policy.ts` says when a receipt causes one. */
export const MEASUREMENT_TYPES = [
  "measurement.lifetime_distance_milestone",
  "measurement.daily_distance_milestone",
  "measurement.speed_milestone",
  "measurement.speed_record",
  "measurement.distance_streak",
] as const;
export type MeasurementEventType = (typeof MEASUREMENT_TYPES)[number];
