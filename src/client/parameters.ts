/** Types that the client names besides its bodies: parts of bodies, and parameters of calls. */
import type { Activity, Observations, Settlements, Statistics } from "./generated/bodies.ts";

export type Observation = Observations["items"][number];
export type AvailableActivity = Extract<Activity, { status: "available" }>;
export type ActivityEvent = AvailableActivity["events"][number];
export type ActivityCategory = AvailableActivity["category"];
export type StatisticsRange = Statistics["range"];
export type SettlementRange = Settlements["range"];

export type PageParameters = {
  /** A `nextCursor`, unchanged; without it the first page. */
  readonly cursor?: string | undefined;
  /** 1 to 100. */
  readonly limit?: number | undefined;
};

export type ActivityParameters = PageParameters & { readonly category?: ActivityCategory | undefined };

/** `queue` asks for the lifetime totals with a projection of the settlement queue, which may still be absent. */
export type SettlementsParameters =
  | { readonly range: SettlementRange; readonly queue?: undefined }
  | { readonly queue: true; readonly range?: "now" | undefined };
