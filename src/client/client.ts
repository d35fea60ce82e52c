/** What a client can do (docs/spec/people.md#client). */
import type { Answer, CallOptions } from "./answer.ts";
import type { ActivityEvent, ActivityParameters, Calls, Observation, PageParameters } from "./calls.ts";
import type { EachActivityParameters } from "./walks/each-activity.ts";
import type { EachObservationParameters } from "./walks/each-observation.ts";
import type { WatchOptions } from "./walks/watch.ts";

type AnswerTo<Name extends keyof Calls> = Promise<Answer<Calls[Name]["body"]>>;
/** Parameters may be left out where none is required. */
type WatchArguments<Parameters> = undefined extends Parameters
  ? [parameters?: Parameters, options?: WatchOptions]
  : [parameters: Parameters, options?: WatchOptions];

/** Every call rejects with a `NoonmarkError` and with nothing else. An unavailable view is a body, not an error. */
export interface Client {
  /** The configured installation's newest measurement. */
  telemetry(options?: CallOptions): AnswerTo<"telemetry">;
  installationTelemetry(id: string, options?: CallOptions): AnswerTo<"installationTelemetry">;
  modules(options?: CallOptions): AnswerTo<"modules">;
  /** One page, oldest first. */
  observations(id: string, page?: PageParameters, options?: CallOptions): AnswerTo<"observations">;
  process(options?: CallOptions): AnswerTo<"process">;
  statistics(parameters: Calls["statistics"]["parameters"], options?: CallOptions): AnswerTo<"statistics">;
  onchain(options?: CallOptions): AnswerTo<"onchain">;
  settlements(parameters: Calls["settlements"]["parameters"], options?: CallOptions): AnswerTo<"settlements">;
  legacySettlements(
    parameters: Calls["legacySettlements"]["parameters"],
    options?: CallOptions,
  ): AnswerTo<"legacySettlements">;
  /** One page, newest first. */
  activity(parameters?: ActivityParameters, options?: CallOptions): AnswerTo<"activity">;
  /** How the publication is; `not_found` where it is not shown. */
  status(options?: CallOptions): AnswerTo<"status">;
  /** Every observation from `after` on, page by page. */
  eachObservation(
    id: string,
    parameters?: EachObservationParameters,
    options?: CallOptions,
  ): AsyncGenerator<Observation, void, undefined>;
  /** Every event, newest first; throws the reason as code where the feed is unavailable. */
  eachActivity(
    parameters?: EachActivityParameters,
    options?: CallOptions,
  ): AsyncGenerator<ActivityEvent, void, undefined>;
  /** First the answer, then each that differs, until its signal is aborted or a call fails for good. */
  watch<Name extends keyof Calls>(
    name: Name,
    ...rest: WatchArguments<Calls[Name]["parameters"]>
  ): AsyncGenerator<Answer<Calls[Name]["body"]>, void, undefined>;
}
