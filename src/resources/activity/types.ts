/** The event types of the activity (docs/spec/api.md#activity-types), by category. */
import type { Category } from "./keys.ts";

export const PROTOCOL_TYPES = ["system.settlement_completed", "system.round_released"] as const;
export const PLAYER_TYPES = ["player.unit_minted", "player.units_merged", "player.rewards_claimed"] as const;
export const CHAIN_TYPES = [...PROTOCOL_TYPES, ...PLAYER_TYPES] as const;
export const MEASUREMENT_TYPES = [
  "measurement.lifetime_distance_milestone",
  "measurement.daily_distance_milestone",
  "measurement.speed_milestone",
  "measurement.speed_record",
  "measurement.distance_streak",
] as const;

/** The types that a category advertises: the chain-only ones all five chain types, although their events are filtered. */
export function activeTypes(category: Category, hasMeasurements: boolean): readonly string[] {
  if (category === "measurement") return MEASUREMENT_TYPES;
  return category === "all" && hasMeasurements ? [...CHAIN_TYPES, ...MEASUREMENT_TYPES] : CHAIN_TYPES;
}

/** The types that a category's events may have. */
export function servedTypes(category: Category, hasMeasurements: boolean): readonly string[] {
  if (category === "protocol") return PROTOCOL_TYPES;
  if (category === "players") return PLAYER_TYPES;
  return activeTypes(category, hasMeasurements);
}
