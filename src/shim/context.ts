/** The dependencies of the shim's core: a store, two clocks, and a second's memory. */
import type { Row } from "../http/route.ts";
import type { FullResponse } from "./full-response.ts";
import type { MaybePromise } from "./maybe-promise.ts";
import { Recent, type StoreReader } from "./recent.ts";

export interface ShimSurroundings {
  readonly store: StoreReader;
  /** The instant (epoch ms) as of which responses are given; it may be fixed. */
  now(): number;
  /** Milliseconds of a clock that always runs, whatever `now` does. */
  monotonic(): number;
  /** Called with each store failure that became a 503. */
  report?(error: unknown): void;
  /** Called for each response with its row (undefined without one) and its status. */
  answered?(row: Row | undefined, status: number): void;
}

/** A response in the coding that a reader accepts, with its headers. */
export type Encode = (full: FullResponse, acceptEncoding: string | undefined) => MaybePromise<FullResponse>;

export interface ShimContext extends ShimSurroundings {
  readonly recent: Recent;
  /** Absent if the runtime compresses by itself. */
  readonly encode?: Encode;
}

/** One context serves every request of a process (or isolate). */
export function shimContext(surroundings: ShimSurroundings): ShimContext {
  const { store, report } = surroundings;
  const monotonic = () => surroundings.monotonic();
  return {
    store,
    now: () => surroundings.now(),
    monotonic,
    ...(report === undefined ? {} : { report: (error: unknown) => report(error) }),
    ...(surroundings.answered === undefined
      ? {}
      : { answered: (row: Row | undefined, status: number) => surroundings.answered?.(row, status) }),
    recent: new Recent(store, monotonic),
  };
}
