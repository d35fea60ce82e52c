/** Whether an answer is one that the API names, whatever was asked: status, common headers, the form of an error, the body. */
import { ALLOWED_METHODS, COMMON_HEADERS, CONTENT_TYPE, NO_SNIFF, NO_STORE } from "../../../src/http/common-headers.ts";
import { ROUTES } from "../../../src/resources/table.ts";
import type { ScriptAnswer } from "../scripts/run-http-script.ts";

const queryErrors = ROUTES.flatMap(({ queryError }) => (queryError === null ? [] : [queryError]));

/** Error codes by status (docs/spec/api.md#errors, docs/spec/api.md#malformed-http); of 5xx there is no other. */
const ERRORS: ReadonlyMap<number, ReadonlySet<string>> = new Map([
  [400, new Set(["bad_request", "invalid_installation_id", ...queryErrors])],
  [404, new Set(["not_found"])],
  [405, new Set(["method_not_allowed"])],
  [408, new Set(["request_timeout"])],
  [417, new Set(["expectation_failed"])],
  [431, new Set(["headers_too_large"])],
  [503, new Set(["store_unavailable", "public_stats_rebuilding", ...ROUTES.map(({ absent }) => absent)])],
]);

/** What is wrong with an answer to a request of that method; none: the API could have said it. */
export function faultsOf(method: string, { status, headers, body }: ScriptAnswer): string[] {
  if (status === 304 || status === 204) return [...common(headers), ...(body === "" ? [] : ["a body"])];
  const errors = ERRORS.get(status);
  if (status !== 200 && errors === undefined) return [`status ${status}`];
  const content = method === "HEAD" ? hasNoBody(body) : bodyFaults(headers, body);
  if (errors === undefined) return [...common(headers), ...content];
  return [...common(headers), ...content, ...errorFaults(status, headers), ...codeFaults(method, body, errors)];
}

/** Pages are files without CORS; they say so by what else stands on them. */
function common(headers: ScriptAnswer["headers"]): string[] {
  const wanted = "access-control-allow-origin" in headers || !isPage(headers) ? COMMON_HEADERS : NO_SNIFF;
  return Object.entries(wanted).flatMap(([name, value]) =>
    headers[name] === value ? [] : [`${name}: ${headers[name] ?? "missing"}`],
  );
}

/** A 304 of a page has no type; only pages have neither CORS nor another's tag. */
function isPage({ "content-type": type, etag }: ScriptAnswer["headers"]): boolean {
  return type === undefined ? /^(?:W\/)?"(?:page|docs)-/.test(etag ?? "") : type.startsWith("text/html");
}

function hasNoBody(body: string): string[] {
  return body === "" ? [] : ["a body to HEAD"];
}

function bodyFaults(headers: ScriptAnswer["headers"], body: string): string[] {
  const { "content-length": length, "content-type": type, "content-encoding": encoding } = headers;
  const faults: string[] = [];
  if (encoding === undefined && length !== undefined && Number(length) !== Buffer.byteLength(body))
    faults.push("length");
  if (type === undefined) faults.push("no content-type");
  if (type?.includes("json") === true && !isJson(body)) faults.push("a body that is not JSON");
  return faults;
}

function errorFaults(status: number, headers: ScriptAnswer["headers"]): string[] {
  const wanted: Record<string, string> = { "content-type": CONTENT_TYPE };
  if (status === 405) wanted["allow"] = ALLOWED_METHODS.join(", ");
  if (status === 503) Object.assign(wanted, { "cache-control": NO_STORE, "retry-after": "2" });
  return Object.entries(wanted).flatMap(([name, value]) =>
    headers[name] === value ? [] : [`${name} of an error: ${headers[name] ?? "missing"}`],
  );
}

function codeFaults(method: string, body: string, codes: ReadonlySet<string>): string[] {
  if (method === "HEAD") return [];
  const code = /^\{"error":"([a-z_]+)"\}$/.exec(body)?.[1];
  return code !== undefined && codes.has(code) ? [] : [`error ${body.slice(0, 80)}`];
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
