/** The client's methods (docs/spec/people.md#client), in any environment. */
import { type AskOptions, asker } from "./ask.ts";
import type { Runtime } from "./exchange.ts";
import { type Calls, type Methods, methodsOf } from "./generated/methods.ts";
import type { Answer } from "./types.ts";
import {
  type EachActivity,
  type EachObservation,
  eachActivity,
  eachObservation,
  type WatchOptions,
  watch,
} from "./walks.ts";

/** Parameters may be left out if none is required. */
type WatchArguments<Parameters> = undefined extends Parameters
  ? [parameters?: Parameters, options?: WatchOptions]
  : [parameters: Parameters, options?: WatchOptions];

/** Every call rejects with a `NoonmarkError` only. An unavailable view is a body, not an error. */
export interface Client extends Methods {
  /** Every observation from `after` on, page by page. */
  readonly eachObservation: EachObservation;
  /** Every event, newest first. Throws the reason as code if the activity is unavailable. */
  readonly eachActivity: EachActivity;
  /** Yields the response and each later one that differs, until the signal is aborted or a call fails after its retries. */
  watch<Name extends keyof Calls>(
    name: Name,
    ...rest: WatchArguments<Calls[Name]["parameters"]>
  ): AsyncGenerator<Answer<Calls[Name]["body"]>, void, undefined>;
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

/** Without a slash at its end. Throws a TypeError if no path can be appended to it. */
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
