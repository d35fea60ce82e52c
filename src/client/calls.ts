/** The parameters and the body of each call. */
import type { Activity } from "./bodies/activity.ts";
import type { LegacySettlements } from "./bodies/legacy-settlements.ts";
import type { Modules } from "./bodies/modules.ts";
import type { Observations } from "./bodies/observations.ts";
import type { Onchain } from "./bodies/onchain.ts";
import type { Process } from "./bodies/process.ts";
import type { PublicationStatus } from "./bodies/publication-status.ts";
import type { Settlements } from "./bodies/settlements.ts";
import type { Statistics } from "./bodies/statistics.ts";
import type { Telemetry } from "./bodies/telemetry.ts";

export type Observation = Observations["items"][number];
export type AvailableActivity = Extract<Activity, { status: "available" }>;
export type ActivityEvent = AvailableActivity["events"][number];
export type ActivityCategory = AvailableActivity["category"];
export type StatisticsRange = Statistics["range"];
export type SettlementRange = Settlements["range"];

export interface PageParameters {
  /** A `nextCursor`, unchanged; without it the first page. */
  readonly cursor?: string | undefined;
  /** 1 to 100. */
  readonly limit?: number | undefined;
}

export interface ActivityParameters extends PageParameters {
  readonly category?: ActivityCategory | undefined;
}

/** `queue` asks for the lifetime totals with a projection of the settlement queue, which may still be absent. */
export type SettlementsParameters =
  | { readonly range: SettlementRange; readonly queue?: undefined }
  | { readonly queue: true; readonly range?: "now" | undefined };

/** By the name of the method, and as `watch` takes them. */
export interface Calls {
  telemetry: { parameters: undefined; body: Telemetry };
  installationTelemetry: { parameters: { readonly id: string }; body: Telemetry };
  modules: { parameters: undefined; body: Modules };
  observations: { parameters: PageParameters & { readonly id: string }; body: Observations };
  process: { parameters: undefined; body: Process };
  statistics: { parameters: { readonly range: StatisticsRange }; body: Statistics };
  onchain: { parameters: undefined; body: Onchain };
  settlements: { parameters: SettlementsParameters; body: Settlements };
  legacySettlements: { parameters: { readonly range: SettlementRange }; body: LegacySettlements };
  activity: { parameters: ActivityParameters | undefined; body: Activity };
  status: { parameters: undefined; body: PublicationStatus };
}
