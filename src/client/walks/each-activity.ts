import type { Answer, CallOptions } from "../answer.ts";
import type { Ask } from "../ask.ts";
import type { Activity } from "../bodies/activity.ts";
import type { ActivityCategory, ActivityEvent } from "../calls.ts";
import { NoonmarkError } from "../noonmark-error.ts";
import { walk } from "./pages.ts";

export interface EachActivityParameters {
  readonly category?: ActivityCategory | undefined;
  /** Events of one request, 1 to 100. */
  readonly limit?: number | undefined;
}

/** A page that is unavailable is an error here: its reason is the code. */
export function eachActivity(
  ask: Ask,
  { category, limit }: EachActivityParameters = {},
  { signal }: CallOptions = {},
): AsyncGenerator<ActivityEvent, void, undefined> {
  const read = async (cursor: string | undefined) => {
    const { body } = (await ask("activity", { category, limit, cursor }, signal)) as Answer<Activity>;
    if (body.status === "unavailable") throw new NoonmarkError(body.reason, "no feed for now", { status: 200 });
    return { items: body.events, nextCursor: body.nextCursor };
  };
  return walk(read, undefined, signal);
}
