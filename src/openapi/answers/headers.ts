/** Headers of answers as components (docs/spec/api.md#http, #errors). */
import { ALLOWED_METHODS, COMMON_HEADERS, NO_STORE } from "../../http/common-headers.ts";
import { RETRY_AFTER_SECONDS } from "../../http/errors.ts";
import type { Row } from "../../http/route.ts";
import { CHAIN_UNAVAILABLE } from "../../resources/fields.ts";
import type { JsonSchema } from "../schemas/json-schema.ts";

export interface Header {
  readonly description: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
}
export type Headers = Readonly<Record<string, Header | { readonly $ref: string }>>;

const constant = (value: string, description: string): Header => ({
  description,
  required: true,
  schema: { type: "string", const: value },
});

const ETAG: JsonSchema = { type: "string", pattern: '^(?:W/)?"[\\x21\\x23-\\x7e]+"$' };

const SHARED: Readonly<Record<string, { readonly name: string; readonly header: Header }>> = {
  AllowOrigin: {
    name: "Access-Control-Allow-Origin",
    header: constant(COMMON_HEADERS["access-control-allow-origin"], "Every page may read it."),
  },
  ExposeHeaders: {
    name: "Access-Control-Expose-Headers",
    header: constant(COMMON_HEADERS["access-control-expose-headers"], "What a page's script may see of the headers."),
  },
  NoSniff: {
    name: "X-Content-Type-Options",
    header: constant(COMMON_HEADERS["x-content-type-options"], "The type is the one that is said."),
  },
  ETag: {
    name: "ETag",
    header: { description: "The revision in quotes, weak where a front compresses.", required: true, schema: ETAG },
  },
  ETagOfReceipt: {
    name: "ETag",
    header: { description: "With a revision only; If-None-Match is never evaluated.", required: false, schema: ETAG },
  },
  Allow: { name: "Allow", header: constant(ALLOWED_METHODS.join(", "), "The methods there are.") },
  RetryAfter: {
    name: "Retry-After",
    header: constant(String(RETRY_AFTER_SECONDS), "Seconds to wait before asking again."),
  },
  NoStore: { name: "Cache-Control", header: constant(NO_STORE, "It is kept by nobody.") },
  SettlementSource: {
    name: "X-Service-Settlement-Source",
    header: {
      description: "Where the history comes from (docs/spec/api.md#settlements-source 1).",
      required: true,
      schema: { type: "string", enum: ["live", "durable-cache", "unavailable"] },
    },
  },
  Vary: {
    name: "Vary",
    header: {
      description: "Where the server compresses (docs/spec/api.md#malformed-http 2).",
      required: false,
      schema: { type: "string", pattern: "^[Aa]ccept-[Ee]ncoding$" },
    },
  },
  FallbackReason: {
    name: "X-Service-Settlement-Fallback-Reason",
    header: {
      description: "With durable-cache only: why there is no live answer (docs/spec/api.md#availability).",
      required: false,
      schema: { type: "string", enum: CHAIN_UNAVAILABLE },
    },
  },
};

export const HEADER_COMPONENTS: Readonly<Record<string, Header>> = Object.fromEntries(
  Object.entries(SHARED).map(([key, { header }]) => [key, header]),
);

function named(...keys: readonly (keyof typeof SHARED)[]): Headers {
  return Object.fromEntries(keys.map((key) => [SHARED[key]?.name, { $ref: `#/components/headers/${key}` }]));
}

export const EVERYWHERE = named("AllowOrigin", "ExposeHeaders", "NoSniff");
export const OF_405 = { ...named("Allow"), ...EVERYWHERE };
export const OF_503 = { ...named("NoStore", "RetryAfter"), ...EVERYWHERE };
export const NOT_STORED = { ...named("NoStore"), ...EVERYWHERE };

/** The headers of a row's 200. */
export function successHeaders(row: Row, tag: "ETag" | "ETagOfReceipt" | null, hasSource: boolean): Headers {
  return { ...(tag === null ? {} : named(tag)), ...validityHeaders(row, hasSource), ...EVERYWHERE };
}

export function notModifiedHeaders(row: Row, hasSource: boolean): Headers {
  return { ...(row.notModifiedTag ? named("ETag") : {}), ...validityHeaders(row, hasSource), ...EVERYWHERE };
}

function validityHeaders({ cacheControl }: Row, hasSource: boolean): Headers {
  return {
    ...(cacheControl === null ? {} : { "Cache-Control": constant(cacheControl, "Of a client's own cache.") }),
    ...named("Vary"),
    ...(hasSource ? named("SettlementSource", "FallbackReason") : {}),
  };
}
