/**
 * The shim's core: from a request and a store to a response (docs/spec/api.md#http). It imports nothing from `node:` and uses
 * only what every runtime has. It checks method, path, installation id and query, in this order.
 */
import { PREFLIGHT_HEADERS } from "../http/common-headers.ts";
import { badRequest, METHOD_NOT_ALLOWED, NOT_FOUND, unavailable } from "../http/errors.ts";
import { matchesNone } from "../http/request/conditional.ts";
import { parseTarget } from "../http/request/target.ts";
import type { Row } from "../http/route.ts";
import { StoreUnavailable } from "../object-store/object-store.ts";
import { matchPath, type RowMatch } from "../resources/find.ts";
import { isInstallationId } from "../values/installation-id.ts";
import type { ShimContext } from "./context.ts";
import { heardAnswer, unheardAnswer } from "./for-front.ts";
import { type FullAnswer, plainAnswer } from "./full-answer.ts";
import { FILE_HANDLERS, ROUTE_HANDLERS } from "./handlers.ts";
import { type Soon, soon } from "./soon.ts";

export interface ShimRequest {
  readonly method: string;
  /** A request target (`/path?query`) or an absolute URL, ASCII. */
  readonly url: string;
  readonly ifNoneMatch?: string | undefined;
  readonly acceptEncoding?: string | undefined;
  /** FRONT_HEADER's value from a trusted front. */
  readonly front?: string | undefined;
  /** The same from an untrusted front or a stranger. */
  readonly unheardFront?: string | undefined;
}

export interface ShimAnswer {
  readonly status: number;
  /** Lower-case names; Content-Length included wherever there is (or, for HEAD, would be) a body. */
  readonly headers: Readonly<Record<string, string>>;
  /** Absent for HEAD, 204 and 304. */
  readonly body: Uint8Array | undefined;
}

const PREFLIGHT: ShimAnswer = { status: 204, headers: PREFLIGHT_HEADERS, body: undefined };
const WRONG_METHOD = plainAnswer(METHOD_NOT_ALLOWED);
const UNKNOWN_PATH = plainAnswer(NOT_FOUND);
const MALFORMED_ID = plainAnswer(badRequest("invalid_installation_id"));
const STORE_UNAVAILABLE = plainAnswer(unavailable("store_unavailable"));

/**
 * At once if the store need not be waited for. Throws, or rejects, only on a defect of the shim. A failing store is 503
 * `store_unavailable`.
 */
export function answer(request: ShimRequest, context: ShimContext): Soon<ShimAnswer> {
  const { method, url } = request;
  if (method === "OPTIONS") return told(PREFLIGHT, undefined, context);
  if (method !== "GET" && method !== "HEAD") return told(WRONG_METHOD, undefined, context);
  const target = parseTarget(url);
  const match = target === undefined ? undefined : matchPath(target.path);
  const full = match === undefined ? UNKNOWN_PATH : fullAnswer(match, target?.query ?? "", context);
  const represented = soon(full, (full) => represent(full, request, context));
  return soon(represented, (full) => told(asAsked(full, request), match?.row, context));
}

function asAsked(full: FullAnswer, { method, ifNoneMatch }: ShimRequest): ShimAnswer {
  const { status, headers, validator } = full;
  if (ifNoneMatch !== undefined && validator !== undefined && matchesNone(ifNoneMatch, validator.etag)) {
    return { status: 304, headers: validator.notModified, body: undefined };
  }
  return method === "HEAD" ? { status, headers, body: undefined } : full;
}

function told(answer: ShimAnswer, row: Row | undefined, { answered }: ShimContext): ShimAnswer {
  answered?.(row, answer.status);
  return answer;
}

/** The response in the form for this client: a front, which compresses by itself, or a reader. */
function represent(full: FullAnswer, request: ShimRequest, context: ShimContext): Soon<FullAnswer> {
  const { front, unheardFront, acceptEncoding } = request;
  if (front !== undefined) return heardAnswer(full, front, context.now());
  if (unheardFront !== undefined) return unheardAnswer(full, unheardFront, context.now());
  return context.encode === undefined ? full : context.encode(full, acceptEncoding);
}

function fullAnswer(match: RowMatch, query: string, context: ShimContext): Soon<FullAnswer> {
  try {
    const found = rowAnswered(match, query, context);
    return found instanceof Promise ? found.catch((error: unknown) => failed(error, context)) : found;
  } catch (error) {
    return failed(error, context);
  }
}

function rowAnswered({ row, parameter }: RowMatch, query: string, context: ShimContext): Soon<FullAnswer> {
  if (row.kind === "file") {
    const found = FILE_HANDLERS[row.handler]({ file: row, asset: parameter ?? "" }, context);
    return soon(found, (full) => full ?? UNKNOWN_PATH);
  }
  if (parameter !== undefined && !isInstallationId(parameter)) return MALFORMED_ID;
  const found = ROUTE_HANDLERS[row.handler]({ route: row, installationId: parameter ?? "", query }, context);
  return soon(found, (full) => full ?? plainAnswer(unavailable(row.absent)));
}

function failed(error: unknown, context: ShimContext): FullAnswer {
  if (!(error instanceof StoreUnavailable)) throw error;
  context.report?.(error);
  return STORE_UNAVAILABLE;
}
