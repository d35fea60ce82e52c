/** `noonmark/client`: typed calls of the API's ten routes and `/status.json`, for browsers, workers, Node, Deno and Bun. */

import { baseAddress, type Client, clientOf } from "./client.ts";
import { type Fetch, systemRuntime } from "./exchange.ts";

export type { Client } from "./client.ts";
export type * from "./generated/bodies.ts";
export type { ApiErrorCode, Calls } from "./generated/methods.ts";
export { NoonmarkError, type NoonmarkErrorCode } from "./noonmark-error.ts";
export type * from "./types.ts";
export type * from "./values.ts";

export interface ClientOptions {
  /** The URL before the API's paths, with a subpath if there is one. In a page it may be relative. */
  readonly baseUrl: string | URL;
  readonly fetch?: Fetch | undefined;
  /** Milliseconds for each attempt; by default 10,000. */
  readonly timeout?: number | undefined;
  /** Further attempts after a network error, a timeout or a 503; by default 2. */
  readonly retries?: number | undefined;
}

/**
 * Throws a TypeError if `baseUrl` is not http(s), or if it has a query, a fragment or a user. It throws the same if `timeout` is
 * not above 0, or `retries` is below 0.
 */
export function createClient({ baseUrl, fetch, timeout = 10_000, retries = 2 }: ClientOptions): Client {
  if (!(timeout > 0 && retries >= 0)) throw new TypeError(`invalid timeout or retries: ${timeout}, ${retries}`);
  return clientOf({ base: baseAddress(baseUrl), timeout, retries }, systemRuntime(fetch));
}

/** The exact value. Throws a TypeError for anything but `0` or a positive integer without leading zeros. */
export function units(text: string): bigint {
  return BigInt(decimalDigits(text));
}

/**
 * A quantity of base units in whole units, without trailing zeros: `amount("1500", 3)` is `"1.5"`. Throws a TypeError as
 * `units` does, and if `decimals` is not a nonnegative integer.
 */
export function amount(text: string, decimals: number): string {
  if (!Number.isSafeInteger(decimals) || decimals < 0) throw new TypeError(`invalid decimals: ${decimals}`);
  const digits = decimalDigits(text).padStart(decimals + 1, "0");
  const point = digits.length - decimals;
  let fraction = digits.slice(point);
  while (fraction.endsWith("0")) fraction = fraction.slice(0, -1);
  return digits.slice(0, point) + (fraction && `.${fraction}`);
}

/** The text itself. Throws a TypeError for another form. */
function decimalDigits(text: string): string {
  if (typeof text !== "string" || !/^(?:0|[1-9]\d*)$/.test(text))
    throw new TypeError(`invalid decimal string: ${text}`);
  return text;
}
