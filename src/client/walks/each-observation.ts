import type { Answer, CallOptions } from "../answer.ts";
import type { Ask } from "../ask.ts";
import type { Observations } from "../bodies/observations.ts";
import type { Observation } from "../calls.ts";
import { walk } from "./pages.ts";

export interface EachObservationParameters {
  /** The cursor of an observation: only later ones; without it from the start of history. */
  readonly after?: string | undefined;
  /** Observations of one request, 1 to 100. */
  readonly limit?: number | undefined;
}

export function eachObservation(
  ask: Ask,
  id: string,
  { after, limit }: EachObservationParameters = {},
  { signal }: CallOptions = {},
): AsyncGenerator<Observation, void, undefined> {
  const read = async (cursor: string | undefined) => {
    const { body } = (await ask("observations", { id, cursor, limit }, signal)) as Answer<Observations>;
    return body;
  };
  return walk(read, after, signal);
}
