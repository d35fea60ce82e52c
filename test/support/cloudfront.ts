/**
 * Simulates CloudFront, as documented, with the shipped template and its functions. Covers forwarded headers, cache keys
 * and lifetimes, stale responses if the origin fails, and which headers a function may change. If the documentation is
 * silent, it assumes the worst case.
 */
import { matchesNone } from "../../src/http/request.ts";
import { type EdgeFunction, type EventHeaders, type EventRequest, edgeFunction } from "./cloudfront-function.ts";
import type { ScriptResponse } from "./scripts/run-http-script.ts";

export interface CloudFrontTemplate {
  readonly Resources: {
    readonly ViewerRequest: { readonly Properties: { readonly FunctionCode: string } };
    readonly ViewerResponse: { readonly Properties: { readonly FunctionCode: string } };
    readonly CachePolicy: { readonly Properties: { readonly CachePolicyConfig: CachePolicy } };
  };
}

interface CachePolicy {
  readonly MinTTL: number;
  readonly DefaultTTL: number;
  readonly MaxTTL: number;
  readonly ParametersInCacheKeyAndForwardedToOrigin: { readonly HeadersConfig: { readonly Headers?: string[] } };
}

/** Rejects if the origin cannot be reached. */
export type Origin = (
  method: string,
  url: string,
  headers: Readonly<Record<string, string>>,
) => Promise<ScriptResponse>;

export interface CloudFrontOptions {
  readonly template: CloudFrontTemplate;
  readonly origin: Origin;
  /** Epoch ms. */
  now(): number;
  /** The number of cache tiers. No tier subtracts the time that a response spent in another tier. */
  readonly tiers: number;
  /** The request that a viewer-response function sees. The documentation allows both readings. */
  readonly responseSees: "original request" | "rewritten request";
}

interface CacheEntry {
  readonly response: ScriptResponse;
  readonly freshUntil: number;
  readonly staleUntil: number;
}

const BAD_GATEWAY: ScriptResponse = { status: 502, headers: { "content-type": "text/html" }, body: "<html>" };

/** CloudFront compares If-None-Match with the tag of the response that it has. */
function conditional({ headers }: EventRequest, response: ScriptResponse): ScriptResponse {
  const field = headers["if-none-match"];
  const { etag, "content-length": _, ...others } = response.headers;
  if (response.status !== 200 || field === undefined || etag === undefined || !matchesNone(field, etag))
    return response;
  return { status: 304, headers: { ...others, etag }, body: "" };
}

export class CloudFront {
  /** The edge location of the next request. Groups of 2 ** tiers locations share a cache in the last tier. */
  location = 0;
  readonly #options: CloudFrontOptions;
  readonly #policy: CachePolicy;
  readonly #viewerRequest: EdgeFunction;
  readonly #viewerResponse: EdgeFunction;
  readonly #tiers: Map<string, CacheEntry>[];

  constructor(options: CloudFrontOptions) {
    const { ViewerRequest, ViewerResponse, CachePolicy } = options.template.Resources;
    this.#options = options;
    this.#policy = CachePolicy.Properties.CachePolicyConfig;
    this.#viewerRequest = edgeFunction(ViewerRequest.Properties.FunctionCode, () => options.now());
    this.#viewerResponse = edgeFunction(ViewerResponse.Properties.FunctionCode, () => options.now());
    this.#tiers = Array.from({ length: options.tiers }, () => new Map<string, CacheEntry>());
  }

  async request(method: string, url: string, headers: Readonly<Record<string, string>>): Promise<ScriptResponse> {
    const sent = { method, url, headers };
    const rewritten = this.#viewerRequest.onRequest(sent);
    if ("status" in rewritten) return rewritten;
    const found = conditional(rewritten, await this.#through(0, rewritten));
    if (found.status >= 400) return found;
    const seen = this.#options.responseSees === "original request" ? sent : rewritten;
    const response = this.#viewerResponse.onResponse(seen, found);
    return method === "HEAD" ? { ...response, body: "" } : response;
  }

  /** Returns the tier's response if it is fresh, otherwise the next tier's. If that fails, returns the stale one. */
  async #through(tier: number, request: EventRequest): Promise<ScriptResponse> {
    const cache = this.#tiers[tier];
    if (cache === undefined) return this.#fromOrigin(request);
    const forwarded = this.#forwarded(request.headers);
    const key = JSON.stringify([this.location >> tier, request.method, request.url, forwarded]);
    const entry = cache.get(key);
    if (entry !== undefined && this.#options.now() < entry.freshUntil) return entry.response;
    const response = await this.#through(tier + 1, request);
    if (response.status >= 500) {
      return entry !== undefined && this.#options.now() < entry.staleUntil ? entry.response : response;
    }
    this.#keep(cache, key, response);
    return response;
  }

  async #fromOrigin({ method, url, headers }: EventRequest): Promise<ScriptResponse> {
    try {
      return await this.#options.origin(method, url, this.#forwarded(headers));
    } catch {
      return BAD_GATEWAY;
    }
  }

  #forwarded(headers: EventHeaders): Record<string, string> {
    const { Headers = [] } = this.#policy.ParametersInCacheKeyAndForwardedToOrigin.HeadersConfig;
    return Object.fromEntries(Headers.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])));
  }

  #keep(cache: Map<string, CacheEntry>, key: string, response: ScriptResponse): void {
    const control = response.headers["cache-control"] ?? "";
    const directive = (name: string) =>
      /^\d+$/.exec(new RegExp(`(?:^|[ ,])${name}=(\\d+)`).exec(control)?.[1] ?? "")?.[0];
    cache.delete(key);
    if (response.status >= 400 || /no-store|private/.test(control)) return;
    const { MinTTL, DefaultTTL, MaxTTL } = this.#policy;
    const age = directive("s-maxage") ?? directive("max-age");
    const seconds = age === undefined ? DefaultTTL : Math.max(MinTTL, Math.min(MaxTTL, Number(age)));
    const freshUntil = this.#options.now() + seconds * 1_000;
    const staleSeconds = Number(directive("stale-if-error") ?? Infinity);
    cache.set(key, { response, freshUntil, staleUntil: freshUntil + staleSeconds * 1_000 });
  }
}
