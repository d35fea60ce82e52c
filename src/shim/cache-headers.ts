/**
 * How long a cache may keep a response (docs/spec/publishing.md#caches). Nothing is kept past valid-until, also while its
 * origin fails. Caches that obey only Cache-Control may count a second too much: nginx keeps max-age N for up to N + 1 s.
 */
import { NO_STORE } from "../http/common-headers.ts";
import type { FullResponse } from "./full-response.ts";

/** The header that caches obey: CDN-Cache-Control (RFC 9213) beside the client's Cache-Control, or Cache-Control in its place. */
export type LifetimeHeader = "cdn-cache-control" | "cache-control";

/** While a cache refreshes a response, its other readers get the old one. */
const REFRESH_SECONDS = 1;

export function lifetime(
  { status, edge, validUntil }: FullResponse,
  now: number,
  name: LifetimeHeader,
): Record<string, string> {
  if (edge === undefined) return { [name]: NO_STORE };
  const lag = name === "cache-control" ? 1 : 0;
  const left = validUntil === undefined ? Infinity : Math.floor((validUntil - now) / 1_000) - lag;
  const seconds = Math.min(edge.seconds, left);
  if (seconds <= 0) return { [name]: NO_STORE };
  const stale = (most: number) => Math.max(0, Math.min(most, left - seconds - lag));
  const [whileAsking, ifError] = [stale(status === 200 ? REFRESH_SECONDS : 0), stale(edge.staleIfErrorSeconds)];
  return { [name]: `max-age=${seconds}, stale-while-revalidate=${whileAsking}, stale-if-error=${ifError}` };
}
