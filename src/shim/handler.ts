import type { FileRow, Route } from "../http/route.ts";
import type { ShimContext } from "./context.ts";
import type { FullResponse } from "./full-response.ts";
import type { MaybePromise } from "./maybe-promise.ts";

/** A request that has found its route. */
export interface RouteRequest {
  readonly route: Route;
  /** Decoded and well formed; "" if the path has none. */
  readonly installationId: string;
  /** As it was written, without its `?`. */
  readonly query: string;
}

/** A request for a file. */
export interface FileRequest {
  readonly file: FileRow;
  /** The last segment of the path, decoded, if the row has a placeholder there; else "". */
  readonly asset: string;
}

/** `undefined` if nothing was ever published. Throws `StoreUnavailable`. */
export type Handler<Request> = (request: Request, context: ShimContext) => MaybePromise<FullResponse | undefined>;
