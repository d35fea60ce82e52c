/** Returns the faults of a response that a test client received. Uses the project's one response judge. */
import { METHODS } from "node:http";
import { judgeResponse } from "../../../src/verify/response.ts";

interface ClientResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Documented, but no request of these tests may cause it. */
const DEFECT = 500;

/** A front gets further headers, and another Cache-Control. */
const NOT_FOR_FRONTS = /^(?:headers\/foreign|(?:answer|errors)\/headers: expected Cache-Control )/;

interface JudgedRequest {
  readonly method: string;
  readonly target?: string;
  /** True if the shim treats the client as a front. */
  readonly asFront?: boolean;
}

/**
 * `target` is absent if the request bytes are not valid HTTP. The response's headers then show if it is a page or an
 * API response.
 */
export function faultsOf({ method, target, asFront = false }: JudgedRequest, response: ClientResponse): string[] {
  const { headers, body } = response;
  // A front gets 200 for a cacheable response, and the reader's status in a header.
  const status = asFront ? Number(headers["noonmark-status"] ?? response.status) : response.status;
  if (status === DEFECT) return [`status ${status}`];
  // A front may pass an unknown method on. Node's parser then sends 400 without headers and body of the API.
  if (status === 400 && body === "" && !METHODS.includes(method)) return [];
  const encoded = headers["content-encoding"] !== undefined;
  const bytes = new TextEncoder().encode(body);
  const reply = {
    status,
    headers: new Map(Object.entries(headers).map(([name, value]) => [name, [value]])),
    body: bytes,
    // An encoded body is not text, so its length is taken from the header.
    wireLength: encoded ? Number(headers["content-length"] ?? 0) : bytes.length,
    at: 0,
  };
  const judgedTarget = target ?? (isPage(headers) ? "/" : "/no-route");
  return judgeResponse({ method, target: judgedTarget, headers: {} }, reply)
    .map(({ rule, expected, seen }) => `${rule}: expected ${expected}, seen ${seen}`)
    .filter((fault) => !(asFront && NOT_FOR_FRONTS.test(fault)));
}

/** Pages have no CORS headers. A 304 for a page has no content type, but its ETag has a prefix. */
function isPage({ "content-type": type, etag }: ClientResponse["headers"]): boolean {
  return type === undefined ? /^(?:W\/)?"(?:page|docs)-/.test(etag ?? "") : type.startsWith("text/html");
}
