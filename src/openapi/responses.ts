/** The responses that a row can have, by status, and their headers (docs/spec/api.md#http, #errors). */
import { ALLOWED_METHODS, COMMON_HEADERS, NO_STORE } from "../http/common-headers.ts";
import { RETRY_AFTER_SECONDS } from "../http/errors.ts";
import type { Row } from "../http/route.ts";
import type { Contract } from "../resources/contract.ts";
import { CHAIN_UNAVAILABLE } from "../resources/fields.ts";
import type { NamedRoute, NamedRow } from "../resources/table.ts";
import { type JsonSchema, refTo } from "./schemas.ts";

interface MediaType {
  readonly schema: JsonSchema;
  readonly examples?: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;
}
interface Response {
  readonly description: string;
  readonly headers: Headers;
  readonly content?: Readonly<Record<string, MediaType>>;
}
export type Responses = Readonly<Record<string, Response>>;

const JSON_TYPE = "application/json";
/** The type of a log's checkpoint, the only described file without a type in its row. */
const TEXT_TYPE = "text/plain";

export function responsesOf(row: NamedRow, contract: Contract): Responses {
  const hasSource = row.kind === "route" && row.sourceHeaders;
  return {
    200: success(row, contract, hasSource),
    ...(row.conditional
      ? { 304: { description: "Nothing has changed.", headers: notModifiedHeaders(row, hasSource) } }
      : {}),
    ...(row.kind === "route" ? badRequest(row) : notFound(row)),
    405: error(["method_not_allowed"], "For any method except GET, HEAD and OPTIONS.", OF_405),
    500: error(["internal_error"], "A defect of the service.", NOT_STORED),
    503: unavailable(row, contract),
  };
}

function success(row: NamedRow, { body }: Contract, hasSource: boolean): Response {
  return {
    description: row.kind === "route" ? "The resource. An unavailable view is data, too." : "The file.",
    headers: successHeaders(row, etagHeader(row), hasSource),
    content: { [mediaTypeOf(row)]: { schema: body === null ? { type: "string" } : refTo(body.name) } },
  };
}

function mediaTypeOf(row: NamedRow): string {
  return row.kind === "route" ? JSON_TYPE : (row.contentType ?? TEXT_TYPE).replace(/;.*/, "");
}

/** Routes that do not evaluate If-None-Match have no tag, except telemetry, whose tag contains a revision. */
function etagHeader(row: NamedRow): "ETag" | "ETagOfReceipt" | null {
  if (row.conditional) return "ETag";
  return row.kind === "route" && row.etag ? "ETagOfReceipt" : null;
}

function badRequest(row: NamedRoute): Responses {
  const codes = [
    ...(row.path.includes("{installationId}") ? ["invalid_installation_id"] : []),
    ...(row.queryError === null ? [] : [row.queryError]),
  ];
  if (codes.length === 0) return {};
  // Only errors of a page's handler carry this header.
  const headers = row.cacheControl === NO_STORE && row.query === "handler" ? NOT_STORED : EVERYWHERE;
  return { 400: error(codes, "A mistake in the path or the query.", headers) };
}

function notFound({ resource }: NamedRow): Responses {
  if (resource === "log") {
    const cacheControl = { ...constant(NO_STORE, "A missing file may come with the next entry."), required: false };
    const headers = { "Cache-Control": cacheControl, ...EVERYWHERE };
    return { 404: error(["not_found"], "There is no such public log.", headers) };
  }
  return { 404: error(["not_found"], "It was never published, or the site is turned off.", EVERYWHERE) };
}

function unavailable(row: NamedRow, { unavailable: codes = [] }: Contract): Response {
  const absent = row.kind === "route" ? [row.absent] : [];
  return error([...codes, ...absent, "store_unavailable"], "Temporarily unavailable: try again.", OF_503);
}

function error(codes: readonly string[], description: string, headers: Headers): Response {
  const schema: JsonSchema = {
    type: "object",
    properties: { error: { type: "string", enum: codes } },
    required: ["error"],
    additionalProperties: false,
  };
  const examples = Object.fromEntries(codes.map((code) => [code, { summary: code, value: { error: code } }]));
  return { description, headers, content: { [JSON_TYPE]: { schema, examples } } };
}

interface Header {
  readonly description: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
}
type Headers = Readonly<Record<string, Header | { readonly $ref: string }>>;

const constant = (value: string, description: string): Header => ({
  description,
  required: true,
  schema: { type: "string", const: value },
});

const ETAG: JsonSchema = { type: "string", pattern: '^(?:W/)?"[\\x21\\x23-\\x7e]+"$' };

const SHARED: Readonly<Record<string, { readonly name: string; readonly header: Header }>> = {
  AllowOrigin: {
    name: "Access-Control-Allow-Origin",
    header: constant(COMMON_HEADERS["access-control-allow-origin"], "Every web page may read it."),
  },
  ExposeHeaders: {
    name: "Access-Control-Expose-Headers",
    header: constant(COMMON_HEADERS["access-control-expose-headers"], "The headers that a script may read."),
  },
  NoSniff: {
    name: "X-Content-Type-Options",
    header: constant(COMMON_HEADERS["x-content-type-options"], "The type is the stated one."),
  },
  ETag: {
    name: "ETag",
    header: { description: "The revision in quotes; weak if a front compresses.", required: true, schema: ETAG },
  },
  ETagOfReceipt: {
    name: "ETag",
    header: {
      description: "Present if there is a revision. If-None-Match is never evaluated.",
      required: false,
      schema: ETAG,
    },
  },
  Allow: { name: "Allow", header: constant(ALLOWED_METHODS.join(", "), "The supported methods.") },
  RetryAfter: {
    name: "Retry-After",
    header: constant(String(RETRY_AFTER_SECONDS), "Seconds to wait before asking again."),
  },
  NoStore: { name: "Cache-Control", header: constant(NO_STORE, "No cache may store it.") },
  SettlementSource: {
    name: "X-Service-Settlement-Source",
    header: {
      description: "The source of the history (docs/spec/api.md#settlements-source 1).",
      required: true,
      schema: { type: "string", enum: ["live", "durable-cache", "unavailable"] },
    },
  },
  Vary: {
    name: "Vary",
    header: {
      description: "Present if the server compresses (docs/spec/api.md#malformed-http 2).",
      required: false,
      schema: { type: "string", pattern: "^[Aa]ccept-[Ee]ncoding$" },
    },
  },
  FallbackReason: {
    name: "X-Service-Settlement-Fallback-Reason",
    header: {
      description: "With durable-cache only: the reason for having no live response (docs/spec/api.md#availability).",
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

const EVERYWHERE = named("AllowOrigin", "ExposeHeaders", "NoSniff");
const OF_405 = { ...named("Allow"), ...EVERYWHERE };
const OF_503 = { ...named("NoStore", "RetryAfter"), ...EVERYWHERE };
const NOT_STORED = { ...named("NoStore"), ...EVERYWHERE };

/** Returns the headers of a row's 200. */
function successHeaders(row: Row, tag: "ETag" | "ETagOfReceipt" | null, hasSource: boolean): Headers {
  return { ...(tag === null ? {} : named(tag)), ...validityHeaders(row, hasSource), ...EVERYWHERE };
}

function notModifiedHeaders(row: Row, hasSource: boolean): Headers {
  return { ...(row.notModifiedTag ? named("ETag") : {}), ...validityHeaders(row, hasSource), ...EVERYWHERE };
}

function validityHeaders({ cacheControl }: Row, hasSource: boolean): Headers {
  return {
    ...(cacheControl === null ? {} : { "Cache-Control": constant(cacheControl, "For the client's own cache.") }),
    ...named("Vary"),
    ...(hasSource ? named("SettlementSource", "FallbackReason") : {}),
  };
}
