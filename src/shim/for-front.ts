/** The headers for fronts, beside the client's own response (`docs/spec/publishing.md#caches`). */
import { FRONT, HEARD_HEADER, PUBLISHED_HEADER, VALID_UNTIL_HEADER } from "../http/front-headers.ts";
import { edgeResponse } from "./edge-response.ts";
import type { FullResponse } from "./full-response.ts";

/** To a trusted front, by its FRONT_HEADER. */
export function trustedResponse(full: FullResponse, said: string, now: number): FullResponse {
  if (isEdge(said)) {
    const response = edgeResponse(full, now, said === FRONT.edge);
    // A CDN's code does not run on an error, so the response reaches the client as it is.
    return response.status >= 400 ? response : markTrusted(response);
  }
  const added: Record<string, string> = {};
  if (full.validUntil !== undefined) added[VALID_UNTIL_HEADER] = String(full.validUntil);
  if (full.status !== 200 && full.edge !== undefined) added[PUBLISHED_HEADER] = "1";
  return markTrusted({ ...full, headers: { ...full.headers, ...added } });
}

/**
 * To an untrusted front: the client's response, with headers that forbid keeping it. Fronts with files older than the setting
 * do not check HEARD_HEADER. A stranger learns nothing and changes nothing for others.
 */
export function untrustedResponse(full: FullResponse, said: string, now: number): FullResponse {
  if (isEdge(said)) return edgeResponse(full, now, false);
  return { ...full, headers: { ...full.headers, [VALID_UNTIL_HEADER]: "0" } };
}

function markTrusted(full: FullResponse): FullResponse {
  const mark = { [HEARD_HEADER]: "1" };
  const marked = { ...full, headers: { ...full.headers, ...mark } };
  const { validator } = full;
  if (validator === undefined) return marked;
  return { ...marked, validator: { ...validator, notModified: { ...validator.notModified, ...mark } } };
}

function isEdge(said: string): boolean {
  return said === FRONT.edge || said === FRONT.pass;
}
