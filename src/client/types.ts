/** Types of the client besides its bodies: results, parameters, and parts of bodies. */
import type { Activity, Observations, Settlements, Statistics } from "./generated/bodies.ts";

export interface ApiResponse<Body> {
  readonly body: Body;
  /** The ETag header; null if the route has none. */
  readonly etag: string | null;
  /** Headers of the last response. Those of settlements name the source. */
  readonly headers: Headers;
  /** True if nothing has changed since this client's last call. `body` is then the same object as before. */
  readonly notModified: boolean;
}

export interface CallOptions {
  /** If aborted, the call rejects with code `aborted`. */
  readonly signal?: AbortSignal | undefined;
}

export type Observation = Observations["items"][number];
type AvailableActivity = Extract<Activity, { status: "available" }>;
export type ActivityEvent = AvailableActivity["events"][number];
export type ActivityCategory = AvailableActivity["category"];
export type StatisticsRange = Statistics["range"];
export type SettlementRange = Settlements["range"];

export type PageParameters = {
  /** An unchanged `nextCursor`; absent for the first page. */
  readonly cursor?: string | undefined;
  /** 1 to 100. */
  readonly limit?: number | undefined;
};

export type ActivityParameters = PageParameters & { readonly category?: ActivityCategory | undefined };

/** `queue` requests the lifetime totals with a projection of the settlement queue, which may be absent. */
export type SettlementsParameters =
  | { readonly range: SettlementRange; readonly queue?: undefined }
  | { readonly queue: true; readonly range?: "now" | undefined };
