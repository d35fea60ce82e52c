/** `noonmark/client`: the API's ten routes and `/status.json`, typed. For browsers, workers, Node 22 on, Deno and Bun. */
import { baseAddress } from "./base-url.ts";
import { type Client, clientOf } from "./client.ts";
import { type Fetch, systemRuntime } from "./exchange/runtime.ts";

export type { Answer, CallOptions } from "./answer.ts";
export type { Client } from "./client.ts";
export { amount, units } from "./decimal-strings.ts";
export type * from "./generated/bodies.ts";
export type { ApiErrorCode, Calls } from "./generated/methods.ts";
export { NoonmarkError, type NoonmarkErrorCode } from "./noonmark-error.ts";
export type {
  ActivityCategory,
  ActivityEvent,
  ActivityParameters,
  Observation,
  PageParameters,
  SettlementRange,
  SettlementsParameters,
  StatisticsRange,
} from "./parameters.ts";
export type * from "./values.ts";

export interface ClientOptions {
  /** The URL before the API's paths, with a subpath if there is one. In a page it may be relative. */
  readonly baseUrl: string | URL;
  readonly fetch?: Fetch | undefined;
  /** Milliseconds for each attempt; 10,000 unless said otherwise. */
  readonly timeout?: number | undefined;
  /** Attempts after the first, after network errors, timeouts and 503; 2 unless said otherwise. */
  readonly retries?: number | undefined;
}

/**
 * Throws a TypeError for a base address with a query, a fragment or a user, or of another scheme than http and https; and for a
 * timeout that is not above 0, or retries below it.
 */
export function createClient({ baseUrl, fetch, timeout = 10_000, retries = 2 }: ClientOptions): Client {
  if (!(timeout > 0 && retries >= 0)) throw new TypeError(`no timeout and retries: ${timeout}, ${retries}`);
  return clientOf({ base: baseAddress(baseUrl), timeout, retries }, systemRuntime(fetch));
}
