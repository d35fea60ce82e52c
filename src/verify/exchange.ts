/** A request and its response, and where the table of routes has them. */
import { routeContract } from "../resources/contracts.ts";
import { matchPath } from "../resources/find.ts";
import { type NamedFile, type NamedRoute, ROUTES } from "../resources/table.ts";

export interface Sent {
  readonly method: string;
  /** Path and query as sent, relative to the base URL. */
  readonly target: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface Reply {
  readonly status: number;
  /** All values by lower-case name, in order. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  /** Decoded if the Content-Encoding is supported. */
  readonly body: Uint8Array;
  /** Bytes of the body on the wire. */
  readonly wireLength: number;
  /** This machine's clock (epoch ms) when the head arrived. */
  readonly at: number;
}

/** Rejects with `NoResponse` if there is no response. */
export type Transport = (sent: Sent) => Promise<Reply>;

/** No complete HTTP response: refused, reset, timed out, cut off, or too large. */
export class NoResponse extends Error {
  override readonly name = "NoResponse";
}

/** The response exceeds the size limit. */
export class TooLarge extends NoResponse {}

/** Ends the run: its time is over, it was asked to stop, or it would keep too much. */
export class CutOff extends Error {
  override readonly name = "CutOff";
}

/** The server closed a keep-alive connection before the request was sent. The caller retries. */
export class ClosedConnection extends NoResponse {}

/** The row of a request; both are undefined for an unknown path. */
export interface Place {
  readonly route?: NamedRoute | undefined;
  readonly file?: NamedFile | undefined;
}

/** A target may be an absolute URL (RFC 9112, 3.2.2). Any other one that is no path belongs to no row. */
export function placeOf(target: string): Place {
  const url = URL.parse(/^https?:/i.test(target) ? target : `http://reader.example${target}`);
  const row = url !== null && /^(?:\/|https?:)/i.test(target) ? matchPath(url.pathname)?.row : undefined;
  if (row?.kind === "file") return { file: row };
  return { route: ROUTES.find(({ name }) => name === row?.name) };
}

/** Codes of a route's 503s, except `store_unavailable`. */
export function unavailableCodes(route: NamedRoute): readonly string[] {
  return [route.absent, ...(routeContract(route.name).unavailable ?? [])];
}

/** Returns all values of a header, joined with commas. */
export function header(reply: Reply, name: string): string | undefined {
  return reply.headers.get(name)?.join(", ");
}

/** Returns the instant (epoch ms) to judge a reply by: Date plus Age, or this machine's clock without a Date. */
export function instantOf(reply: Reply): number {
  const date = Date.parse(header(reply, "date") ?? "");
  if (Number.isNaN(date)) return reply.at;
  const age = Number(header(reply, "age") ?? "0");
  return date + (Number.isFinite(age) ? age * 1000 : 0);
}

const parsed = new WeakMap<Uint8Array, unknown>();

/** Returns the body as text; undefined if it is not UTF-8. */
export function textOf({ body }: Reply): string | undefined {
  return valueOr(() => new TextDecoder("utf-8", STRICT).decode(body));
}

const STRICT = { fatal: true, ignoreBOM: true };

/** Returns the body as JSON; undefined if it is invalid. The result is cached: do not change it. */
export function jsonOf(reply: Reply): unknown {
  if (!parsed.has(reply.body))
    parsed.set(
      reply.body,
      valueOr(() => JSON.parse(textOf(reply) ?? "") as unknown),
    );
  return parsed.get(reply.body);
}

function valueOr<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

const TARGET_SHOWN = 200;

/** Returns the request as findings show it. */
export function requestText({ method, target, headers }: Sent): string {
  const shownTarget = target.length > TARGET_SHOWN ? `${target.slice(0, 120)}… (${target.length} characters)` : target;
  const lines = Object.entries(headers).filter(([name, value]) => name !== "accept-encoding" || value !== "identity");
  const text = lines.map(([name, value]) => `${name}: ${value}`).join(", ");
  return `${method} ${shownTarget}${text === "" ? "" : ` with ${text}`}`;
}

/** Returns a header's value in quotes; `none` if it is absent. */
export function shown(value: string | undefined): string {
  return value === undefined ? "none" : `"${value}"`;
}

/** Returns a tag without its `W/`. */
export function strongTag(tag: string): string {
  return tag.startsWith("W/") ? tag.slice(2) : tag;
}

const LONGEST_ERROR_BYTES = 1_024;

/** Returns the code if the body is exactly an error body; whitespace is allowed. */
export function errorCode(reply: Reply): string | undefined {
  if (reply.body.length > LONGEST_ERROR_BYTES) return undefined;
  return /^\s*\{\s*"error"\s*:\s*"([a-z0-9_]+)"\s*\}\s*$/.exec(textOf(reply) ?? "")?.[1];
}

/** Describes a response by its status, and its code or the beginning of its body. */
export function seenReply(reply: Reply): string {
  const code = errorCode(reply);
  const text = textOf(reply) ?? "";
  if (code !== undefined) return `${reply.status} ${code}`;
  return `${reply.status}${reply.status < 400 || text === "" ? "" : ` ${JSON.stringify(text.slice(0, 60))}`}`;
}
