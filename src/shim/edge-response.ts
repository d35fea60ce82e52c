/**
 * A response for a CDN that only obeys Cache-Control (`http/front-headers.ts`). It can neither check valid-until when it
 * serves from its cache nor apply a successor, so the shim says how long is safe.
 */
import { NO_STORE } from "../http/common-headers.ts";
import { EDGE_HEADERS } from "../http/front-headers.ts";
import type { FullResponse } from "./full-response.ts";

/**
 * Caches in a row that may each keep a response (edge location, regional cache, origin shield). None is trusted to count the
 * time spent in another: all of them together keep a response until valid-until at most.
 */
const TIERS = 3;
/**
 * Seconds on the way from the shim to the client. A response older than its time by more was kept by a cache that should not.
 */
const SLACK_MS = 5_000;

/**
 * `kept`: true if the CDN may keep it at all. An unpublished error leaves as the client gets it. It has no validator:
 * If-None-Match is evaluated at the cache, and a cache that revalidates gets all of it.
 */
export function edgeResponse(full: FullResponse, now: number, kept: boolean): FullResponse {
  const { status, edge } = full;
  if (status >= 400 && !(kept && edge !== undefined)) return full;
  const { "cache-control": cacheControl, ...headers } = full.headers;
  const told: Record<string, string> = { ...headers, ...keeping(full, now, kept) };
  if (cacheControl !== undefined) told[EDGE_HEADERS.cacheControl] = cacheControl;
  // A CDN's code does not run on a 4xx or 5xx.
  if (status >= 400) told[EDGE_HEADERS.status] = String(status);
  if (full.validator !== undefined) {
    told[EDGE_HEADERS.notModified] = "etag" in full.validator.notModified ? "tag" : "no-tag";
  }
  return { status: status >= 400 ? 200 : status, headers: told, body: full.body };
}

/** Nothing is kept past valid-until, even if the origin fails. */
function keeping({ edge, validUntil }: FullResponse, now: number, kept: boolean): Record<string, string> {
  const left = validUntil === undefined ? Infinity : Math.floor((validUntil - now) / 1_000);
  const seconds = kept && edge !== undefined ? Math.min(edge.seconds, Math.floor(left / TIERS)) : 0;
  if (edge === undefined || seconds <= 0) return { "cache-control": NO_STORE };
  const stale = Math.min(edge.staleIfErrorSeconds, left - seconds * TIERS);
  const end = now + (seconds * TIERS + stale) * 1_000 + SLACK_MS;
  return {
    "cache-control": `max-age=0, s-maxage=${seconds}, stale-if-error=${stale}`,
    [EDGE_HEADERS.keptUntil]: String(Math.min(end, validUntil ?? Infinity)),
  };
}
