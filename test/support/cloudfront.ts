/**
 * CloudFront as its documentation describes it, around the generated template and functions: which headers reach the
 * origin, what is kept under which key and how long, when an old response hides a failing origin, on which events
 * a function runs and which headers it may change. If the documentation is silent, this does the worst that is possible.
 */
import { type EdgeFunction, type EventHeaders, type EventRequest, edgeFunction } from "./cloudfront-function.ts";
import type { ScriptAnswer } from "./scripts/run-http-script.ts";

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
  readonly ParametersInCacheKeyAndForwardedToOrigin: { readonly HeadersConfig: { readonly Headers: string[] } };
}

/** Rejects where the origin cannot be reached. */
export type Origin = (method: string, url: string, headers: Readonly<Record<string, string>>) => Promise<ScriptAnswer>;

export interface CloudFrontOptions {
  readonly template: CloudFrontTemplate;
  readonly origin: Origin;
  /** Epoch ms. */
  now(): number;
  /** Caches in a row; none counts the time that a response spent in another. */
  readonly tiers: number;
  /** The part of the request that a viewer-response function sees: the documentation can be read both ways. */
  readonly responseSees: "what the client sent" | "what the function made of it";
}

interface Kept {
  readonly answer: ScriptAnswer;
  readonly freshUntil: number;
  readonly staleUntil: number;
}

const BAD_GATEWAY: ScriptAnswer = { status: 502, headers: { "content-type": "text/html" }, body: "<html>" };

export class CloudFront {
  /** The location of the next request: 2 ** tiers locations share one cache in the last tier. */
  location = 0;
  readonly #options: CloudFrontOptions;
  readonly #policy: CachePolicy;
  readonly #viewerRequest: EdgeFunction;
  readonly #viewerResponse: EdgeFunction;
  readonly #tiers: Map<string, Kept>[];

  constructor(options: CloudFrontOptions) {
    const { ViewerRequest, ViewerResponse, CachePolicy } = options.template.Resources;
    this.#options = options;
    this.#policy = CachePolicy.Properties.CachePolicyConfig;
    this.#viewerRequest = edgeFunction(ViewerRequest.Properties.FunctionCode, () => options.now());
    this.#viewerResponse = edgeFunction(ViewerResponse.Properties.FunctionCode, () => options.now());
    this.#tiers = Array.from({ length: options.tiers }, () => new Map<string, Kept>());
  }

  async request(method: string, url: string, headers: Readonly<Record<string, string>>): Promise<ScriptAnswer> {
    const sent = { method, url, headers };
    const asked = this.#viewerRequest.onRequest(sent);
    if ("status" in asked) return asked;
    const found = await this.#through(0, asked);
    if (found.status >= 400) return found;
    const seen = this.#options.responseSees === "what the client sent" ? sent : asked;
    const answer = this.#viewerResponse.onResponse(seen, found);
    return method === "HEAD" ? { ...answer, body: "" } : answer;
  }

  /** The response of a tier: its own while fresh, else that of the next one, else (if that fails) its own all the same. */
  async #through(tier: number, request: EventRequest): Promise<ScriptAnswer> {
    const cache = this.#tiers[tier];
    if (cache === undefined) return this.#fromOrigin(request);
    const forwarded = this.#forwarded(request.headers);
    const key = JSON.stringify([this.location >> tier, request.method, request.url, forwarded]);
    const kept = cache.get(key);
    if (kept !== undefined && this.#options.now() < kept.freshUntil) return kept.answer;
    const answer = await this.#through(tier + 1, request);
    if (answer.status >= 500) {
      return kept !== undefined && this.#options.now() < kept.staleUntil ? kept.answer : answer;
    }
    this.#keep(cache, key, answer);
    return answer;
  }

  async #fromOrigin({ method, url, headers }: EventRequest): Promise<ScriptAnswer> {
    try {
      return await this.#options.origin(method, url, this.#forwarded(headers));
    } catch {
      return BAD_GATEWAY;
    }
  }

  #forwarded(headers: EventHeaders): Record<string, string> {
    const { Headers } = this.#policy.ParametersInCacheKeyAndForwardedToOrigin.HeadersConfig;
    return Object.fromEntries(Headers.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])));
  }

  #keep(cache: Map<string, Kept>, key: string, answer: ScriptAnswer): void {
    const control = answer.headers["cache-control"] ?? "";
    const directive = (name: string) =>
      /^\d+$/.exec(new RegExp(`(?:^|[ ,])${name}=(\\d+)`).exec(control)?.[1] ?? "")?.[0];
    cache.delete(key);
    if (answer.status >= 400 || /no-store|private/.test(control)) return;
    const { MinTTL, DefaultTTL, MaxTTL } = this.#policy;
    const age = directive("s-maxage") ?? directive("max-age");
    const seconds = age === undefined ? DefaultTTL : Math.max(MinTTL, Math.min(MaxTTL, Number(age)));
    const freshUntil = this.#options.now() + seconds * 1_000;
    const staleSeconds = Number(directive("stale-if-error") ?? Infinity);
    cache.set(key, { answer, freshUntil, staleUntil: freshUntil + staleSeconds * 1_000 });
  }
}
