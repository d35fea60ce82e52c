import type { CallOptions } from "../answer.ts";
import type { Ask } from "../generated/methods.ts";
import type { Observation } from "../parameters.ts";
import { walk } from "./pages.ts";

export interface EachObservationParameters {
  /** The cursor of an observation: only later ones; without it from the start of history. */
  readonly after?: string | undefined;
  /** Observations of one request, 1 to 100. */
  readonly limit?: number | undefined;
}

export type EachObservation = (
  id: string,
  parameters?: EachObservationParameters,
  options?: CallOptions,
) => AsyncGenerator<Observation, void, undefined>;

export function eachObservation(ask: Ask): EachObservation {
  return (id, { after, limit } = {}, { signal } = {}) =>
    walk(async (cursor) => (await ask("observations", { id, cursor, limit }, { signal })).body, after, signal);
}
