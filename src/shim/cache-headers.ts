/**
 * How long a cache may keep a response (docs/spec/publishing.md#caches). Nothing is kept past valid-until, also while its
 * origin fails. Caches that obey only Cache-Control may count a second too much: nginx keeps max-age N for up to N + 1 s.
 */
import { NO_STORE } from "../http/common-headers.ts";
import type { FullResponse } from "./full-response.ts";

/** The header for caches: Cache-Control if it is `shared`, else CDN-Cache-Control (RFC 9213), beside the client's. */
export function lifetime({ edge, validUntil }: FullResponse, now: number, shared: boolean): Record<string, string> {
  const name = shared ? "cache-control" : "cdn-cache-control";
  if (edge === undefined) return { [name]: NO_STORE };
  const lag = shared ? 1 : 0;
  const left = validUntil === undefined ? Infinity : Math.floor((validUntil - now) / 1_000) - lag;
  const seconds = Math.min(edge.seconds, left);
  if (seconds <= 0) return { [name]: NO_STORE };
  const stale = Math.max(0, Math.min(edge.staleIfErrorSeconds, left - seconds - lag));
  return { [name]: `max-age=${seconds}, stale-if-error=${stale}` };
}
