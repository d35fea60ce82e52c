/**
 * The shim's core: from a request and a store to a response (docs/spec/api.md#http). It imports nothing from `node:` and
 * uses only what every runtime has. It checks method, path, installation id and query, in this order.
 */
import { NO_STORE, PREFLIGHT_HEADERS } from "../http/common-headers.ts";
import { badRequest, METHOD_NOT_ALLOWED, NOT_FOUND, unavailable } from "../http/errors.ts";
import { matchesNone, parseTarget, type Target } from "../http/request.ts";
import type { Row } from "../http/route.ts";
import { StoreUnavailable } from "../object-store/object-store.ts";
import { matchPath, type RowMatch } from "../resources/find.ts";
import { isInstallationId } from "../values/installation-id.ts";
import { andThen, type LifetimeHeader, type MaybePromise, type ShimContext } from "./context.ts";
import { type FullResponse, plainResponse } from "./full-response.ts";
import { FILE_HANDLERS, ROUTE_HANDLERS } from "./handlers.ts";
import { within } from "./within.ts";

export interface ShimRequest {
  readonly method: string;
  /** A request target (`/path?query`) or an absolute URL, ASCII. */
  readonly url: string;
  readonly ifNoneMatch?: string | undefined;
  readonly acceptEncoding?: string | undefined;
}

export interface ShimResponse {
  readonly status: number;
  /** Lower-case names; Content-Length included wherever there is (or, for HEAD, would be) a body. */
  readonly headers: Readonly<Record<string, string>>;
  /** Absent for HEAD, 204 and 304. */
  readonly body: Uint8Array | undefined;
}

const PREFLIGHT: ShimResponse = { status: 204, headers: PREFLIGHT_HEADERS, body: undefined };
const WRONG_METHOD = plainResponse(METHOD_NOT_ALLOWED);
const UNKNOWN_PATH = plainResponse(NOT_FOUND);
const MALFORMED_ID = plainResponse(badRequest("invalid_installation_id"));
const STORE_UNAVAILABLE = plainResponse(unavailable("store_unavailable"));

/**
 * Returns synchronously if no read of the store is pending. Throws, or rejects, only on a defect of the shim. A failing
 * store is 503 `store_unavailable`.
 */
export function respond(request: ShimRequest, context: ShimContext): MaybePromise<ShimResponse> {
  const { method, url } = request;
  if (method === "OPTIONS") return counted(PREFLIGHT, undefined, context);
  if (method !== "GET" && method !== "HEAD") return counted(WRONG_METHOD, undefined, context);
  const target = parseTarget(url);
  const match = target && matchPath(target.path);
  const full = target && match ? fullResponse(match, target, context) : UNKNOWN_PATH;
  const encoded = andThen(full, (full) => context.encode?.(full, request.acceptEncoding) ?? full);
  return andThen(encoded, (full) => counted(conditional(full, request, context), match?.row, context));
}

/** The 304 if If-None-Match names the tag, and no body for HEAD. Both say how long a cache may keep the response. */
function conditional(full: FullResponse, { method, ifNoneMatch }: ShimRequest, context: ShimContext): ShimResponse {
  const { status, headers, validator, body } = full;
  const kept = keptBy(full, context);
  if (ifNoneMatch !== undefined && validator !== undefined && matchesNone(ifNoneMatch, validator.etag)) {
    return { status: 304, headers: { ...validator.notModified, ...kept }, body: undefined };
  }
  return { status, headers: { ...headers, ...kept }, body: method === "HEAD" ? undefined : body };
}

function keptBy(full: FullResponse, { lifetimeHeader, storeFails, now }: ShimContext): Record<string, string> {
  if (lifetimeHeader === undefined) return {};
  return storeFails?.() === true ? { [lifetimeHeader]: NO_STORE } : lifetime(full, now(), lifetimeHeader);
}

/** While a cache refreshes a response, its other readers get the old one. */
const REFRESH_SECONDS = 1;

/**
 * How long a cache may keep a response (docs/spec/publishing.md#caches). Nothing is kept past valid-until, also while its
 * origin fails. Caches that obey only Cache-Control may count a second too much: nginx keeps max-age N for up to N + 1 s.
 */
function lifetime(
  { status, edge, validUntil }: FullResponse,
  now: number,
  name: LifetimeHeader,
): Record<string, string> {
  if (edge === undefined) return { [name]: NO_STORE };
  const lag = name === "cache-control" ? 1 : 0;
  const left = validUntil === undefined ? Infinity : Math.floor((validUntil - now) / 1_000) - lag;
  const seconds = Math.min(edge.seconds, left);
  if (seconds <= 0) return { [name]: NO_STORE };
  const stale = (most: number) => Math.max(0, Math.min(most, left - seconds - lag));
  const [whileAsking, ifError] = [stale(status === 200 ? REFRESH_SECONDS : 0), stale(edge.staleIfErrorSeconds)];
  return { [name]: `max-age=${seconds}, stale-while-revalidate=${whileAsking}, stale-if-error=${ifError}` };
}

function counted(response: ShimResponse, row: Row | undefined, { onResponse }: ShimContext): ShimResponse {
  onResponse?.(row, response.status);
  return response;
}

function fullResponse(match: RowMatch, target: Target, context: ShimContext): MaybePromise<FullResponse> {
  const attempt = () => respondByRow(match, target, context);
  try {
    const found = attempt();
    return found instanceof Promise ? inTime(found).catch((error: unknown) => failed(error, context, attempt)) : found;
  } catch (error) {
    return failed(error, context, attempt);
  }
}

/** However many reads a response needs (ms). */
const RESPONSE_LIMIT_MS = 750;

async function inTime(response: Promise<FullResponse>): Promise<FullResponse> {
  const found = await within(RESPONSE_LIMIT_MS, response);
  if (found !== undefined) return found.value;
  throw new StoreUnavailable(`no response of the store within ${RESPONSE_LIMIT_MS} ms`);
}

function respondByRow(
  { row, installationId }: RowMatch,
  { path, query }: Target,
  context: ShimContext,
): MaybePromise<FullResponse> {
  if (row.kind === "file") {
    const found = FILE_HANDLERS[row.handler]({ file: row, path }, context);
    return andThen(found, (full) => full ?? UNKNOWN_PATH);
  }
  if (installationId !== undefined && !isInstallationId(installationId)) return MALFORMED_ID;
  const found = ROUTE_HANDLERS[row.handler]({ route: row, installationId: installationId ?? "", query }, context);
  return andThen(found, (full) => full ?? plainResponse(unavailable(row.absent)));
}

function failed(error: unknown, context: ShimContext, again: () => MaybePromise<unknown>): FullResponse {
  if (!(error instanceof StoreUnavailable)) throw error;
  context.report?.(error, again);
  return STORE_UNAVAILABLE;
}
