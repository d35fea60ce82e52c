import type { Route } from "../http/route.ts";
import type { ShimContext } from "./context.ts";
import type { FullAnswer } from "./full-answer.ts";

/** A request that has found its row. */
export interface RouteRequest {
  readonly route: Route;
  /** Decoded and well formed; "" where the path names none. */
  readonly installationId: string;
  /** As it was written, without its `?`. */
  readonly query: string;
}

/** Resolves to `undefined` where nothing was ever published. Throws `StoreUnavailable`. */
export type Handler = (request: RouteRequest, context: ShimContext) => Promise<FullAnswer | undefined>;
