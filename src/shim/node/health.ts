/** `/healthz` and `/readyz`: for operators of the shim, not for readers; never cached. */
import { NO_STORE } from "../../http/common-headers.ts";
import { METHOD_NOT_ALLOWED, unavailable } from "../../http/errors.ts";
import { HEAD_KEY } from "../../http/keys.ts";
import { StoreUnavailable } from "../../object-store/object-store.ts";
import { type HeadFacts, headFacts } from "../../resources/publication-status/public-record.ts";
import { FUTURE_ALLOWANCE_MS } from "../../values/freshness.ts";
import { formatTimestamp } from "../../values/timestamp.ts";
import type { ShimContext } from "../context.ts";
import { plainResponse } from "../full-response.ts";
import type { ShimRequest, ShimResponse } from "../respond.ts";

export interface HealthClocks {
  /** Epoch ms, for the publisher's age. */
  wallClock(): number;
  /** How far this host is ahead of the store (ms); undefined if unknown. */
  clockSkew?(): number | undefined;
}

/**
 * `undefined` for any other path. Alive: always 200. Ready: 200 while the store can be read, even if the publisher is
 * dead, because then the shim is needed most. The body has the age of the publisher's last renewal.
 */
export function healthResponse(
  { method, url }: Pick<ShimRequest, "method" | "url">,
  context: Pick<ShimContext, "store" | "report">,
  clocks: HealthClocks,
): Promise<ShimResponse> | undefined {
  // Every request passes here, so its first letters are compared first.
  if (!url.startsWith("/healthz") && !url.startsWith("/readyz")) return undefined;
  const path = url.split("?", 1)[0];
  if (path !== "/healthz" && path !== "/readyz") return undefined;
  return forMethod(method, path === "/healthz" ? ALIVE : () => readiness(context, clocks));
}

const ALIVE = () => ok({ status: "ok" });

async function forMethod(method: string, full: () => ShimResponse | Promise<ShimResponse>): Promise<ShimResponse> {
  if (method !== "GET" && method !== "HEAD") return plainResponse(METHOD_NOT_ALLOWED);
  return method === "HEAD" ? { ...(await full()), body: undefined } : full();
}

async function readiness(
  { store, report }: Pick<ShimContext, "store" | "report">,
  clocks: HealthClocks,
): Promise<ShimResponse> {
  const read = () => store.get(HEAD_KEY, { fresh: true });
  try {
    const status = await read();
    const publisher = status === undefined ? null : publisherAge(status.body, clocks.wallClock());
    const clockSkewMs = clocks.clockSkew?.();
    return ok({ status: "ready", publisher, ...(clockSkewMs === undefined ? {} : { clockSkewMs }) });
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    report?.(error, read);
    // The reason is in the log only: it may name a path, and every reader of this address would see it.
    return plainResponse(unavailable("store_unavailable"));
  }
}

/** From the publisher's own head; nulls if it has none, because readiness does not depend on it. */
function publisherAge(body: Uint8Array, now: number): Record<string, unknown> {
  try {
    return ageOf(headFacts(body), now);
  } catch {
    // The head has another format. The store can still be read.
    return { renewedAt: null, ageSeconds: null };
  }
}

function ageOf({ lease, at, problems }: HeadFacts, now: number): Record<string, unknown> {
  const ahead = Math.max(lease.renewedAt, at) - now;
  return {
    renewedAt: formatTimestamp(lease.renewedAt),
    ageSeconds: Math.max(0, Math.floor((now - lease.renewedAt) / 1000)),
    ...(ahead > FUTURE_ALLOWANCE_MS && { problem: "clock_behind", publishedAheadSeconds: Math.round(ahead / 1000) }),
    ...(problems.some(([code]) => code === "clock_moved") && { problem: "clock_moved" }),
  };
}

function ok(body: unknown): ShimResponse {
  return plainResponse({ status: 200, headers: { "cache-control": NO_STORE }, body: JSON.stringify(body) });
}
