/** Turns a call's parameters into a URL, sends the request, and reuses remembered responses on a 304. */

import { exchange, jsonOf, type Reply, type Runtime } from "./exchange.ts";
import { ENDPOINTS } from "./generated/endpoints.ts";
import { API_ERROR_CODES, type Ask, type Calls } from "./generated/methods.ts";
import { NoonmarkError } from "./noonmark-error.ts";
import type { ApiResponse } from "./types.ts";

export interface AskOptions {
  /** Without a trailing slash. */
  readonly base: string;
  /** Milliseconds for each attempt. */
  readonly timeout: number;
  readonly retries: number;
}

export function asker({ base, timeout, retries }: AskOptions, runtime: Runtime): Ask {
  const remembered: Remembered = new Map();
  return async <Name extends keyof Calls>(
    name: Name,
    parameters: Readonly<Record<string, unknown>> = {},
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<ApiResponse<Calls[Name]["body"]>> => {
    const target = targetOf(name, parameters);
    const { conditional } = ENDPOINTS[name];
    const known = conditional && !runtime.ownCache ? remembered.get(target) : undefined;
    const init: RequestInit = runtime.ownCache
      ? { cache: "no-cache" }
      : { headers: known ? { "if-none-match": known.etag } : {} };
    const reply = await exchange(
      { url: base + target, init, timeout, signal, codes: API_ERROR_CODES },
      retries,
      runtime,
    );
    const { status, headers } = reply;
    const etag = headers.get("etag");
    // Another call may have stored this response meanwhile, or a cache on the way may have ignored If-None-Match.
    const latest = conditional && status === 200 ? remembered.get(target) : undefined;
    const same = status === 304 ? known : isSameTag(etag, latest?.etag) ? latest : undefined;
    if (same !== undefined && isBody(name, same.body)) {
      return { body: same.body, etag: latest ? etag : same.etag, headers, notModified: true };
    }
    const body = bodyOf(name, reply);
    if (conditional && etag !== null) remember(remembered, target, { etag, body });
    return { body, etag, headers, notModified: false };
  };
}

function bodyOf<Name extends keyof Calls>(name: Name, { url, status, bytes }: Reply): Calls[Name]["body"] {
  let cause: unknown;
  try {
    const body = jsonOf(bytes);
    if (isBody(name, body)) return body;
  } catch (error) {
    cause = error;
  }
  throw new NoonmarkError("invalid_response", `${url} responded ${status} with another body`, { status, cause });
}

/** Checks only the schema version, which shows that the body comes from this version of the API. */
function isBody<Name extends keyof Calls>(name: Name, body: unknown): body is Calls[Name]["body"] {
  return (body as { readonly schemaVersion?: unknown } | null)?.schemaVersion === schemaVersionOf(ENDPOINTS[name]);
}

/** Returns the body's schemaVersion: the digit after `/v` in the path, or 1 for a file. */
export function schemaVersionOf({ path }: { readonly path: string }): number {
  return Number(path[2]) || 1;
}

/** A call's parameters: `id` goes into the path, the others into the query. */
type Parameters = Readonly<Record<string, unknown>>;

/** Throws `invalid_installation_id` for an id that the server would reject or a URL cannot carry. */
export function targetOf(name: keyof Calls, { id, queue, ...rest }: Parameters): string {
  const { path } = ENDPOINTS[name];
  const query = new URLSearchParams();
  // In the order of the table of routes, so that the queue projection has a single cache key.
  for (const [key, value] of Object.entries(queue ? { ...rest, range: "now", queue: 1 } : rest)) {
    if (value !== undefined) query.append(key, String(value));
  }
  const search = String(query) && `?${query}`;
  return path.replace("{id}", () => installationId(id)) + search;
}

function installationId(id: unknown): string {
  // `.` and `..` are rejected because URL parsers remove them, even if percent-encoded.
  if (typeof id === "string" && /^(?!\.\.?$)[\w.:-]{1,128}$/.test(id)) return id;
  throw new NoonmarkError("invalid_installation_id", `invalid installation id: ${JSON.stringify(id)}`);
}

/** The last response of a conditional URL, reused on a 304. */
interface RememberedResponse {
  readonly etag: string;
  readonly body: unknown;
}

/** Valid parameters make twelve conditional URLs. The limit keeps invalid ones from filling the memory. */
const CAPACITY = 16;

type Remembered = Map<string, RememberedResponse>;

/** Stores a response as the newest and evicts the oldest beyond the capacity. */
function remember(remembered: Remembered, target: string, response: RememberedResponse): void {
  remembered.delete(target);
  remembered.set(target, response);
  for (const oldest of remembered.keys()) if (remembered.size > CAPACITY) remembered.delete(oldest);
}

/** True if two tags mean the same body. The comparison is weak, because compressing CDNs weaken tags. */
function isSameTag(one: string | null, other: string | undefined): boolean {
  return one !== null && one.replace(/^W\//, "") === other?.replace(/^W\//, "");
}
