/**
 * Responses for fronts (docs/spec/publishing.md#caches). A CDN that only obeys Cache-Control can neither check valid-until when
 * it serves from its cache nor apply a successor. So the shim says how long it may keep the response.
 */

import { NO_STORE } from "../http/common-headers.ts";
import { EDGE_HEADERS, FRONT, PUBLISHED_HEADER, TRUSTED_HEADER, VALID_UNTIL_HEADER } from "../http/front-headers.ts";
import type { FullResponse } from "./full-response.ts";

/** To a trusted front, by its FRONT_HEADER. */
export function trustedResponse(full: FullResponse, frontHeader: string, now: number): FullResponse {
  if (isEdge(frontHeader)) {
    const response = edgeResponse(full, now, frontHeader === FRONT.edge);
    // A CDN's code does not run on an error, so the response reaches the client unchanged.
    return response.status >= 400 ? response : markTrusted(response);
  }
  const added: Record<string, string> = {};
  if (full.validUntil !== undefined) added[VALID_UNTIL_HEADER] = String(full.validUntil);
  if (full.status !== 200 && full.edge !== undefined) added[PUBLISHED_HEADER] = "1";
  return markTrusted({ ...full, headers: { ...full.headers, ...added } });
}

/**
 * To an untrusted front: the client's response, with headers that forbid keeping it. Fronts with files older than the setting
 * do not check TRUSTED_HEADER. A stranger learns nothing and changes nothing for others.
 */
export function untrustedResponse(full: FullResponse, frontHeader: string, now: number): FullResponse {
  if (isEdge(frontHeader)) return edgeResponse(full, now, false);
  return { ...full, headers: { ...full.headers, [VALID_UNTIL_HEADER]: "0" } };
}

function markTrusted(full: FullResponse): FullResponse {
  const mark = { [TRUSTED_HEADER]: "1" };
  const marked = { ...full, headers: { ...full.headers, ...mark } };
  const { validator } = full;
  if (validator === undefined) return marked;
  return { ...marked, validator: { ...validator, notModified: { ...validator.notModified, ...mark } } };
}

function isEdge(frontHeader: string): boolean {
  return frontHeader === FRONT.edge || frontHeader === FRONT.pass;
}

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
 * `kept` is true if the CDN may keep the response. An unpublished error is sent as the client gets it. The response has no
 * validator: If-None-Match is evaluated at the cache, and a cache that revalidates gets the whole body.
 */
export function edgeResponse(full: FullResponse, now: number, kept: boolean): FullResponse {
  const { status, edge } = full;
  if (status >= 400 && !(kept && edge !== undefined)) return full;
  const { "cache-control": cacheControl, ...headers } = full.headers;
  const sent: Record<string, string> = { ...headers, ...keeping(full, now, kept) };
  if (cacheControl !== undefined) sent[EDGE_HEADERS.cacheControl] = cacheControl;
  // A CDN's code does not run on a 4xx or 5xx.
  if (status >= 400) sent[EDGE_HEADERS.status] = String(status);
  if (full.validator !== undefined) {
    sent[EDGE_HEADERS.notModified] = "etag" in full.validator.notModified ? "tag" : "no-tag";
  }
  return { status: status >= 400 ? 200 : status, headers: sent, body: full.body };
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
