/** Path and query of a call. */
import { ENDPOINTS } from "./generated/endpoints.ts";
import type { Calls } from "./generated/methods.ts";
import { NoonmarkError } from "./noonmark-error.ts";

/** A call's parameters as they come: `id` is part of the path, the rest of the query. */
export type Parameters = Readonly<Record<string, unknown>>;

/** Throws `invalid_installation_id` for an id that the server would refuse, or that no URL can carry. */
export function targetOf(name: keyof Calls, { id, queue, ...rest }: Parameters): string {
  const { path } = ENDPOINTS[name];
  const query = new URLSearchParams();
  // The parameters of a queue projection in the order of the table of routes: one key in every cache.
  for (const [key, value] of Object.entries(queue ? { ...rest, range: "now", queue: 1 } : rest)) {
    if (value !== undefined) query.append(key, String(value));
  }
  const search = String(query) && `?${query}`;
  return path.replace("{id}", () => installationId(id)) + search;
}

function installationId(id: unknown): string {
  // URLs resolve `.` and `..` away, percent-encoded or not.
  if (typeof id === "string" && /^(?!\.\.?$)[\w.:-]{1,128}$/.test(id)) return id;
  throw new NoonmarkError("invalid_installation_id", `${JSON.stringify(id)} is no installation id`);
}
