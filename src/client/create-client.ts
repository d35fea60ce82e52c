/**
 * `noonmark/client`: typed calls of the ten API routes and `/status.json`, for browsers, workers, Node, Deno and Bun.
 */

import { baseAddress, type Client, clientOf } from "./client.ts";
import { type Fetch, systemRuntime } from "./exchange.ts";

export type { Client } from "./client.ts";
export type * from "./generated/bodies.ts";
export type { ApiErrorCode, Calls } from "./generated/methods.ts";
export { NoonmarkError, type NoonmarkErrorCode } from "./noonmark-error.ts";
export type * from "./types.ts";
export type * from "./values.ts";

export interface ClientOptions {
  /** The URL before the API's paths, including any subpath. In a page it may be relative. */
  readonly baseUrl: string | URL;
  readonly fetch?: Fetch | undefined;
  /** Milliseconds per attempt; 10,000 by default. */
  readonly timeout?: number | undefined;
  /** Retries after a network error, a timeout or a 503; 2 by default. */
  readonly retries?: number | undefined;
}

/**
 * Throws a TypeError if `baseUrl` is not http(s), or has a query, fragment or user, if `timeout` is not above 0, or if
 * `retries` is negative.
 */
export function createClient({ baseUrl, fetch, timeout = 10_000, retries = 2 }: ClientOptions): Client {
  if (!(timeout > 0 && retries >= 0)) throw new TypeError(`invalid timeout or retries: ${timeout}, ${retries}`);
  return clientOf({ base: baseAddress(baseUrl), timeout, retries }, systemRuntime(fetch));
}

/** Returns the exact value. Throws a TypeError unless `text` is `0` or a positive integer without leading zeros. */
export function units(text: string): bigint {
  return BigInt(decimalDigits(text));
}

/**
 * Converts base units to whole units, without trailing zeros: `amount("1500", 3)` is `"1.5"`. Throws a TypeError like
 * `units`, or if `decimals` is not a nonnegative integer.
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
