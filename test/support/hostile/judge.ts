/** The faults of a response as a test's client parsed it, by the one judge. */
import { judgeResponse } from "../../../src/judge/judge.ts";

interface Answer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** No request there may get it, though the API has the word. */
const DEFECT = 500;

/** A front gets more than a reader, in headers of its own. */
const OF_FRONTS = ["headers/foreign", "answer/cache-control", "errors/cache-control"];

interface Asked {
  readonly method: string;
  readonly target?: string;
  /** The shim takes whoever asked for a front. */
  readonly asFront?: boolean;
}

/** `target` is absent for bytes that are no request: the response then says itself if it is a page. None: it is the API's. */
export function faultsOf({ method, target, asFront = false }: Asked, answer: Answer): string[] {
  const { headers, body } = answer;
  // A front gets 200 for what it may keep, and the status for its readers in a header.
  const status = asFront ? Number(headers["noonmark-status"] ?? answer.status) : answer.status;
  if (status === DEFECT) return [`status ${status}`];
  const encoded = headers["content-encoding"] !== undefined;
  const bytes = new TextEncoder().encode(body);
  const reply = {
    status,
    headers: new Map(Object.entries(headers).map(([name, value]) => [name, [value]])),
    body: bytes,
    // An encoded body is text no more: its length is what the response says.
    wireLength: encoded ? Number(headers["content-length"] ?? 0) : bytes.length,
    at: 0,
  };
  const asked = target ?? (isPage(headers) ? "/" : "/no-route");
  return judgeResponse({ method, target: asked, headers: {} }, reply)
    .filter(({ rule }) => !(asFront && OF_FRONTS.includes(rule)))
    .map(({ rule, expected, saw }) => `${rule}: expected ${expected}, saw ${saw}`);
}

/** Pages have no CORS. A 304 of a page has no type and a tag of its own. */
function isPage({ "content-type": type, etag }: Answer["headers"]): boolean {
  return type === undefined ? /^(?:W\/)?"(?:page|docs)-/.test(etag ?? "") : type.startsWith("text/html");
}
