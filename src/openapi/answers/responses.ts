/** Every answer that a row can give, by its status (docs/spec/api.md#http, #errors). */
import { NO_STORE } from "../../http/common-headers.ts";
import type { Contract } from "../../resources/contract.ts";
import type { NamedRoute, NamedRow } from "../../resources/table.ts";
import { examplesOf } from "../examples.ts";
import { type JsonSchema, refTo } from "../schemas/json-schema.ts";
import { EVERYWHERE, type Headers, NOT_STORED, notModifiedHeaders, OF_405, OF_503, successHeaders } from "./headers.ts";

export interface MediaType {
  readonly schema: JsonSchema;
  readonly examples?: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;
}
export interface Response {
  readonly description: string;
  readonly headers: Headers;
  readonly content?: Readonly<Record<string, MediaType>>;
}
export type Responses = Readonly<Record<string, Response>>;

const JSON_TYPE = "application/json";

export function responsesOf(row: NamedRow, contract: Contract): Responses {
  const hasSource = row.kind === "route" && row.sourceHeaders;
  return {
    200: success(row, contract, hasSource),
    ...(row.conditional
      ? { 304: { description: "Nothing has changed.", headers: notModifiedHeaders(row, hasSource) } }
      : {}),
    ...(row.kind === "route" ? badRequest(row) : notFound()),
    405: error(["method_not_allowed"], "To any method but GET, HEAD and OPTIONS.", OF_405),
    500: error(["internal_error"], "A defect of the service.", NOT_STORED),
    503: unavailable(row, contract),
  };
}

function success(row: NamedRow, { body }: Contract, hasSource: boolean): Response {
  const examples = examplesOf(row.name);
  const media: MediaType = {
    schema: body === null ? { type: "string" } : refTo(body.name),
    ...(examples === undefined ? {} : { examples }),
  };
  return {
    description: row.kind === "route" ? "The resource; an unavailable view is data too." : "The file.",
    headers: successHeaders(row, tagOf(row), hasSource),
    content: { [mediaTypeOf(row)]: media },
  };
}

function mediaTypeOf(row: NamedRow): string {
  return row.kind === "route" ? JSON_TYPE : (row.contentType ?? JSON_TYPE).replace(/;.*/, "");
}

/** Among the routes that never evaluate it, only telemetry has a tag, which contains a revision. */
function tagOf(row: NamedRow): "ETag" | "ETagOfReceipt" | null {
  if (row.conditional) return "ETag";
  return row.kind === "route" && row.etag ? "ETagOfReceipt" : null;
}

function badRequest(row: NamedRoute): Responses {
  const codes = [
    ...(row.path.includes("{installationId}") ? ["invalid_installation_id"] : []),
    ...(row.queryError === null ? [] : [row.queryError]),
  ];
  if (codes.length === 0) return {};
  // Only a page's handler sets it on an error of its own.
  const headers = row.cacheControl === NO_STORE && row.query === "page" ? NOT_STORED : EVERYWHERE;
  return { 400: error(codes, "A mistake in the path or the query.", headers) };
}

function notFound(): Responses {
  return { 404: error(["not_found"], "It was never published, or the site is turned off.", EVERYWHERE) };
}

function unavailable(row: NamedRow, { unavailable: codes = [] }: Contract): Response {
  const absent = row.kind === "route" ? [row.absent] : [];
  return error([...codes, ...absent, "store_unavailable"], "Nothing to answer with for now: ask again.", OF_503);
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
