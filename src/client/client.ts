/** The client's methods (docs/spec/people.md#client), in any environment. */
import type { Answer } from "./answer.ts";
import { type AskOptions, asker } from "./ask.ts";
import type { Runtime } from "./exchange/runtime.ts";
import { type Calls, type Methods, methodsOf } from "./generated/methods.ts";
import { type EachActivity, type EachObservation, eachActivity, eachObservation } from "./walks.ts";
import { type WatchOptions, watch } from "./watch.ts";

/** Parameters may be left out if none is required. */
type WatchArguments<Parameters> = undefined extends Parameters
  ? [parameters?: Parameters, options?: WatchOptions]
  : [parameters: Parameters, options?: WatchOptions];

/** Every call rejects with a `NoonmarkError` and with nothing else. An unavailable view is a body, not an error. */
export interface Client extends Methods {
  /** Every observation from `after` on, page by page. */
  readonly eachObservation: EachObservation;
  /** Every event, newest first. Throws the reason as code if the feed is unavailable. */
  readonly eachActivity: EachActivity;
  /** First the answer, then each that differs, until its signal is aborted or a call fails for good. */
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
