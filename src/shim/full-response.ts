/** A response with all its headers, as a GET gets it, and the headers of a 304 in its place. */
import {
  COMMON_HEADERS,
  CONTENT_TYPE,
  FALLBACK_REASON_HEADER,
  NO_SNIFF,
  SOURCE_HEADER,
} from "../http/common-headers.ts";
import { badRequest } from "../http/errors.ts";
import type { Representation } from "../http/representation.ts";
import { type FileRow, PUBLISHED_ERROR_EDGE_SECONDS, type Route, type Row } from "../http/route.ts";

export interface FullResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The first instant (epoch ms) at which another version holds; for caches. */
  readonly validUntil?: number;
  /** How long a cache may keep it, and hide an origin that fails, before valid-until; absent: not at all. */
  readonly edge?: { readonly seconds: number; readonly staleIfErrorSeconds: number };
  /** Present if If-None-Match is evaluated. */
  readonly validator?: { readonly etag: string; readonly notModified: Readonly<Record<string, string>> };
}

type WithoutBody = Omit<Representation, "body">;

const encoder = new TextEncoder();

/** A response of a row, which says if there can be a 304. `contentType`: the type of a file whose row has none. */
export function rowResponse(
  row: Route | FileRow,
  response: WithoutBody,
  body: Uint8Array,
  contentType: string = CONTENT_TYPE,
): FullResponse {
  const { edgeSeconds: seconds, staleIfErrorSeconds } = row;
  const edge =
    response.status === 200
      ? { seconds, staleIfErrorSeconds }
      : { seconds: PUBLISHED_ERROR_EDGE_SECONDS, staleIfErrorSeconds: 0 };
  const isFile = row.kind === "file";
  const always = isFile && !row.cors ? NO_SNIFF : COMMON_HEADERS;
  const type = isFile ? (row.contentType ?? contentType) : CONTENT_TYPE;
  const full = { ...complete({ ...response, always, type }, body), edge };
  const { etag } = response.headers;
  if (!row.conditional || response.status !== 200 || etag === undefined) return full;
  return { ...full, validator: { etag, notModified: { ...always, ...notModifiedHeaders(row, response.headers) } } };
}

/** The 400 to a query that the route does not accept. */
export function queryRefused({ queryError }: Route, cacheControl: string | null = null): FullResponse {
  return plainResponse(badRequest(queryError ?? "invalid_query", cacheControl));
}

/** A response without a row: an error. */
export function plainResponse({ body, ...response }: Representation): FullResponse {
  return complete({ ...response, always: COMMON_HEADERS, type: CONTENT_TYPE }, encoder.encode(body));
}

interface Complete extends WithoutBody {
  /** The headers of every response of the kind. */
  readonly always: Readonly<Record<string, string>>;
  readonly type: string;
}

function complete({ status, headers, always, type }: Complete, body: Uint8Array): FullResponse {
  return {
    status,
    headers: {
      ...always,
      ...headers,
      "content-type": type,
      "content-length": String(body.length),
    },
    body,
  };
}

/** The headers that RFC 9110 requires on a 304, and the source headers, which are on both (docs/spec/api.md#http). */
function notModifiedHeaders(row: Row, headers: WithoutBody["headers"]): Record<string, string> {
  const kept = ["cache-control", "vary", SOURCE_HEADER, FALLBACK_REASON_HEADER];
  if (row.notModifiedTag) kept.push("etag");
  const found = kept.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]] as const]));
  return Object.fromEntries(found);
}
