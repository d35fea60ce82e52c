/** The client's methods (docs/spec/people.md#client), without dependencies on an environment. */
import { type AskOptions, asker } from "./ask.ts";
import type { Runtime } from "./exchange.ts";
import { type Calls, type Methods, methodsOf } from "./generated/methods.ts";
import type { ApiResponse } from "./types.ts";
import {
  type EachActivity,
  type EachObservation,
  eachActivity,
  eachObservation,
  type WatchOptions,
  watch,
} from "./walks.ts";

/** The arguments after the name; parameters are optional if none is required. */
type WatchArguments<Parameters> = undefined extends Parameters
  ? [parameters?: Parameters, options?: WatchOptions]
  : [parameters: Parameters, options?: WatchOptions];

/** Calls reject only with a `NoonmarkError`. An unavailable view is a body, not an error. */
export interface Client extends Methods {
  /** Yields every observation after `after`, page by page. */
  readonly eachObservation: EachObservation;
  /** Yields every event, newest first. If activity is unavailable, throws with the reason as code. */
  readonly eachActivity: EachActivity;
  /** Yields the response, then each later one that differs. Ends when the signal is aborted or a call fails. */
  watch<Name extends keyof Calls>(
    name: Name,
    ...rest: WatchArguments<Calls[Name]["parameters"]>
  ): AsyncGenerator<ApiResponse<Calls[Name]["body"]>, void, undefined>;
}

export function clientOf(options: AskOptions, runtime: Runtime): Client {
  const ask = asker(options, runtime);
  return {
    ...methodsOf(ask),
    eachObservation: eachObservation(ask),
    eachActivity: eachActivity(ask),
    watch: (name, ...[parameters, watching = {}]) => watch(() => ask(name, parameters, watching), watching, runtime),
  };
}

/** Returns the base URL without a trailing slash. Throws a TypeError if no path can be appended to it. */
export function baseAddress(baseUrl: string | URL): string {
  const { location } = globalThis as { readonly location?: { readonly href: string } };
  const { href, protocol, username, password } = new URL(baseUrl, location?.href);
  if (!/^https?:$/.test(protocol) || /[?#]/.test(href) || username !== "" || password !== "") {
    throw new TypeError(`baseUrl must be http(s) without user, query and fragment: ${href}`);
  }
  let base = href;
  while (base.endsWith("/")) base = base.slice(0, -1);
  return base;
}
