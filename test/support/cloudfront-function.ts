/** Runs a CloudFront function in an isolated JavaScript context, with events in the documented format. */
import { createContext, Script } from "node:vm";
import type { ScriptResponse } from "./scripts/run-http-script.ts";

export type EventHeaders = Readonly<Record<string, string>>;

export interface EventRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: EventHeaders;
}

export interface EdgeFunction {
  onRequest(request: EventRequest): EventRequest | ScriptResponse;
  onResponse(request: EventRequest, response: ScriptResponse): ScriptResponse;
  /** Calls the function with an event, unchanged. */
  handle(event: object): Record<string, unknown>;
}

type Fields = Record<string, { value: string; multiValue?: { value: string }[] }>;

interface FunctionRequest {
  readonly method: string;
  readonly uri: string;
  readonly querystring: Fields;
  readonly headers: Fields;
}

interface FunctionResponse {
  readonly statusCode: number;
  readonly headers: Fields;
  readonly body?: string;
}

/** Headers that CloudFront hides from functions or makes read-only. It responds with 502 if a function changes them. */
const FORBIDDEN = ["connection", "expect", "keep-alive", "proxy-connection", "trailer", "upgrade", "transfer-encoding"];
const READ_ONLY = ["via", "warning", "host"];

export function edgeFunction(code: string, now: () => number): EdgeFunction {
  const context = createContext({ clock: now }, { codeGeneration: { strings: false, wasm: false } });
  new Script("Date.now = clock; delete globalThis.clock;").runInContext(context);
  new Script(code).runInContext(context);
  const call = new Script(`(function (text) {
    const event = JSON.parse(text);
    const raw = event.rawQueryString;
    delete event.rawQueryString;
    Object.defineProperty(event.request, 'rawQueryString', { value: function () { return raw; } });
    return JSON.stringify(handler(event));
  })`).runInContext(context) as (event: string) => string;
  const handle = (event: object) => JSON.parse(call(JSON.stringify(event))) as Record<string, unknown>;
  return {
    handle,
    onRequest(request) {
      const event = requestEvent("viewer-request", request);
      const result = handle(event) as unknown as FunctionRequest | FunctionResponse;
      if ("statusCode" in result) {
        checkHeaders({}, result.headers);
        return responseOf(result, result.body ?? "");
      }
      checkHeaders(event.request.headers, result.headers);
      return { method: request.method, url: urlOf(event.request, result, request.url), headers: plain(result.headers) };
    },
    onResponse(request, { status, headers, body }) {
      const event = requestEvent("viewer-response", request);
      const response = { statusCode: status, statusDescription: "OK", headers: fields(headers), cookies: {} };
      const result = handle({ ...event, response }) as unknown as FunctionResponse;
      checkHeaders(response.headers, result.headers);
      return responseOf(result, result.body ?? body);
    },
  };
}

function requestEvent(eventType: string, { method, url, headers }: EventRequest) {
  const mark = url.indexOf("?");
  const query = mark < 0 ? undefined : url.slice(mark + 1);
  const uri = mark < 0 ? url : url.slice(0, mark);
  const context = { distributionDomainName: "d111111abcdef8.cloudfront.net", distributionId: "EDFDVBD6EXAMPLE" };
  return {
    version: "1.0",
    context: { ...context, eventType, requestId: "EXAMPLEntjQpEXAMPLE_SG5Z-EXAMPLEPmPfEXAMPLEu3EqEXAMPLE==" },
    viewer: { ip: "198.51.100.11" },
    request: { method, uri, querystring: queryFields(query ?? ""), headers: fields(headers), cookies: {} },
    rawQueryString: query,
  };
}

/** For a repeated parameter, `multiValue` holds all values, undecoded. */
function queryFields(query: string): Fields {
  const found: Fields = {};
  for (const piece of query.split("&").filter((text) => text !== "")) {
    const [name = "", ...rest] = piece.split("=");
    const value = rest.join("=");
    const first = found[name];
    if (first === undefined) found[name] = { value };
    else (first.multiValue ??= [{ value: first.value }]).push({ value });
  }
  return found;
}

/** If the function did not change the query, it is forwarded as sent. An empty query loses its question mark. */
function urlOf(before: { uri: string; querystring: Fields }, result: FunctionRequest, url: string): string {
  if (JSON.stringify(before.querystring) === JSON.stringify(result.querystring)) {
    const query = url.slice(before.uri.length);
    return query === "?" ? result.uri : result.uri + query;
  }
  const query = Object.entries(result.querystring).map(([name, { value }]) => `${name}=${value}`);
  return query.length === 0 ? result.uri : `${result.uri}?${query.join("&")}`;
}

function checkHeaders(before: Fields, after: Fields): void {
  for (const [name, field] of Object.entries(after)) {
    if (name !== name.toLowerCase() || typeof field?.value !== "string")
      throw new Error(`${name} is not a valid header`);
    if (FORBIDDEN.includes(name) && before[name] === undefined) throw new Error(`${name} must not be added`);
  }
  for (const name of READ_ONLY) {
    if (before[name]?.value !== after[name]?.value && before[name] !== undefined)
      throw new Error(`${name} is read-only`);
  }
}

function responseOf({ statusCode, headers }: FunctionResponse, body: string): ScriptResponse {
  const sent = plain(headers);
  // CloudFront adds Content-Length if the function did not set it.
  if (body !== "" && sent["content-length"] === undefined) sent["content-length"] = String(Buffer.byteLength(body));
  return { status: statusCode, headers: sent, body };
}

function fields(headers: EventHeaders): Fields {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), { value }]));
}

function plain(headers: Fields): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, { value }]) => [name, value]));
}
