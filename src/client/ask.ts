/** A call from its parameters to its answer. */
import type { Answer } from "./answer.ts";
import type { Reply } from "./exchange/attempt.ts";
import { exchange } from "./exchange/exchange.ts";
import type { Runtime } from "./exchange/runtime.ts";
import { ENDPOINTS } from "./generated/endpoints.ts";
import type { Ask, Calls } from "./generated/methods.ts";
import { NoonmarkError } from "./noonmark-error.ts";
import { isSameTag, type Remembered, remember } from "./remembered.ts";
import { targetOf } from "./target.ts";

export interface AskOptions {
  /** Without a slash at its end. */
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
  ): Promise<Answer<Calls[Name]["body"]>> => {
    const target = targetOf(name, parameters);
    const { conditional } = ENDPOINTS[name];
    const known = conditional && !runtime.ownCache ? remembered.get(target) : undefined;
    const init: RequestInit = runtime.ownCache
      ? { cache: "no-cache" }
      : { headers: known ? { "if-none-match": known.etag } : {} };
    const reply = await exchange({ url: base + target, init, timeout, signal }, retries, runtime);
    const { status, headers } = reply;
    const etag = headers.get("etag");
    // Another call may have remembered this very answer meanwhile; and a cache in between may not know conditions.
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

function bodyOf<Name extends keyof Calls>(name: Name, { url, status, text }: Reply): Calls[Name]["body"] {
  let cause: unknown;
  try {
    const body: unknown = JSON.parse(text);
    if (isBody(name, body)) return body;
  } catch (error) {
    cause = error;
  }
  throw new NoonmarkError("invalid_answer", `${url} answered ${status} with another body`, { status, cause });
}

/** A shallow check: is this an answer of this API at all, and of this version? The rest is the server's word. */
function isBody<Name extends keyof Calls>(name: Name, body: unknown): body is Calls[Name]["body"] {
  return (body as { readonly schemaVersion?: unknown } | null)?.schemaVersion === schemaVersionOf(ENDPOINTS[name]);
}

/** The version is the digit after `/v` in the path, and again in the body; a file has version 1. */
export function schemaVersionOf({ path }: { readonly path: string }): number {
  return Number(path[2]) || 1;
}
