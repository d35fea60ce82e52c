/** Returns the faults of a response that a test client received. Uses the project's one response judge. */
import { METHODS } from "node:http";
import { judgeResponse } from "../../src/verify/response.ts";

interface ClientResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Documented, but no request of these tests may cause it. */
const DEFECT = 500;

interface JudgedRequest {
  readonly method: string;
  readonly target?: string;
}

/**
 * `target` is absent if the request bytes are not valid HTTP. The response's headers then show if it is a page or an
 * API response.
 */
export function faultsOf({ method, target }: JudgedRequest, response: ClientResponse): string[] {
  const { status, headers, body } = response;
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
  return judgeResponse({ method, target: judgedTarget, headers: {} }, reply).map(
    ({ rule, expected, seen }) => `${rule}: expected ${expected}, seen ${seen}`,
  );
}

/** Pages have no CORS headers. A 304 for a page has no content type, but its ETag has a prefix. */
function isPage({ "content-type": type, etag }: ClientResponse["headers"]): boolean {
  return type === undefined ? /^(?:W\/)?"(?:page|docs)-/.test(etag ?? "") : type.startsWith("text/html");
}
