/** A call from its parameters to its answer. */
import type { Answer } from "./answer.ts";
import { ENDPOINTS, type EndpointName, schemaVersionOf } from "./endpoints.ts";
import type { Reply } from "./exchange/attempt.ts";
import { exchange } from "./exchange/exchange.ts";
import type { Runtime } from "./exchange/runtime.ts";
import { NoonmarkError } from "./noonmark-error.ts";
import { isSameTag, Remembered } from "./remembered.ts";
import { type Parameters, targetOf } from "./target.ts";

export interface AskOptions {
  /** Without a slash at its end. */
  readonly base: string;
  /** Milliseconds for each attempt. */
  readonly timeout: number;
  readonly retries: number;
}

export type Ask = (name: EndpointName, parameters?: Parameters, signal?: AbortSignal) => Promise<Answer<object>>;

export function asker({ base, timeout, retries }: AskOptions, runtime: Runtime): Ask {
  const remembered = new Remembered();
  return async (name, parameters = {}, signal) => {
    const target = targetOf(name, parameters);
    const endpoint = ENDPOINTS[name];
    const known = endpoint.conditional && !runtime.ownCache ? remembered.get(target) : undefined;
    const init: RequestInit = {
      ...(runtime.ownCache ? { cache: "no-cache" } : {}),
      ...(known === undefined ? {} : { headers: { "if-none-match": known.etag } }),
    };
    const reply = await exchange({ url: base + target, init, timeout, signal }, retries, runtime);
    const { status, headers } = reply;
    const etag = headers.get("etag");
    if (status === 304 && known !== undefined) return { ...known, headers, notModified: true };
    // Another call may have remembered this very answer meanwhile; and a cache in between may not know conditions.
    const latest = endpoint.conditional ? remembered.get(target) : undefined;
    if (status === 200 && latest !== undefined && isSameTag(etag, latest.etag)) {
      return { body: latest.body, etag, headers, notModified: true };
    }
    const body = bodyOf(reply, schemaVersionOf(endpoint));
    if (endpoint.conditional && etag !== null) remembered.set(target, { etag, body });
    return { body, etag, headers, notModified: false };
  };
}

/** A shallow check: is this an answer of this API at all, and whole? */
function bodyOf({ url, status, text }: Reply, schemaVersion: number): object {
  try {
    const body = JSON.parse(text) as { readonly schemaVersion?: unknown };
    if (body.schemaVersion === schemaVersion) return body;
  } catch (cause) {
    throw new NoonmarkError("invalid_answer", `${url} answered ${status} without JSON`, { status, cause });
  }
  throw new NoonmarkError("invalid_answer", `${url} answered ${status} with another body`, { status });
}
