/** A client over whatever it runs on. */

import type { CallOptions } from "./answer.ts";
import { type AskOptions, asker } from "./ask.ts";
import type { Client } from "./client.ts";
import type { EndpointName } from "./endpoints.ts";
import type { Runtime } from "./exchange/runtime.ts";
import type { Parameters } from "./target.ts";
import { eachActivity } from "./walks/each-activity.ts";
import { eachObservation } from "./walks/each-observation.ts";
import { type WatchOptions, watch } from "./walks/watch.ts";

export function clientOf(options: AskOptions, runtime: Runtime): Client {
  const ask = asker(options, runtime);
  const plain = (name: EndpointName) => (call?: CallOptions) => ask(name, {}, call?.signal);
  const selected = (name: EndpointName) => (parameters?: Parameters, call?: CallOptions) =>
    ask(name, parameters, call?.signal);
  const ofInstallation = (name: EndpointName) => (id: string, page?: Parameters, call?: CallOptions) =>
    ask(name, { ...page, id }, call?.signal);
  const client = {
    telemetry: plain("telemetry"),
    installationTelemetry: (id: string, call?: CallOptions) => ask("installationTelemetry", { id }, call?.signal),
    modules: plain("modules"),
    observations: ofInstallation("observations"),
    process: plain("process"),
    statistics: selected("statistics"),
    onchain: plain("onchain"),
    settlements: selected("settlements"),
    legacySettlements: selected("legacySettlements"),
    activity: selected("activity"),
    status: plain("status"),
    eachObservation: eachObservation.bind(undefined, ask),
    eachActivity: eachActivity.bind(undefined, ask),
    watch: (name: EndpointName, parameters?: Parameters, watching: WatchOptions = {}) =>
      watch(() => ask(name, parameters, watching.signal), watching, runtime),
  };
  // Which body a path has is the server's word; `ask` checks that it is an answer of this API at all.
  return client as unknown as Client;
}
