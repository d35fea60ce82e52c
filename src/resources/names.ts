/** The resources of read-api.md 2, as `--only` and reports name them. */
export const RESOURCE_NAMES = [
  "telemetry",
  "modules",
  "observations",
  "process",
  "statistics",
  "onchain",
  "settlements",
  "settlements-legacy",
  "activity",
] as const;
export type ResourceName = (typeof RESOURCE_NAMES)[number];
