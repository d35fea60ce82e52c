import type { CallOptions } from "../answer.ts";
import type { Ask } from "../generated/methods.ts";
import { NoonmarkError } from "../noonmark-error.ts";
import type { ActivityCategory, ActivityEvent } from "../parameters.ts";
import { walk } from "./pages.ts";

export interface EachActivityParameters {
  readonly category?: ActivityCategory | undefined;
  /** Events of one request, 1 to 100. */
  readonly limit?: number | undefined;
}

export type EachActivity = (
  parameters?: EachActivityParameters,
  options?: CallOptions,
) => AsyncGenerator<ActivityEvent, void, undefined>;

/** A page that is unavailable is an error here: its reason is the code. */
export function eachActivity(ask: Ask): EachActivity {
  return ({ category, limit } = {}, { signal } = {}) => {
    const read = async (cursor: string | undefined) => {
      const { body } = await ask("activity", { category, limit, cursor }, { signal });
      if (body.status === "unavailable") throw new NoonmarkError(body.reason, "unavailable", { status: 200 });
      return { items: body.events, nextCursor: body.nextCursor };
    };
    return walk(read, undefined, signal);
  };
}
