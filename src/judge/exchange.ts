/** A request and its response, in the form that the rules need. */
import type { NamedFile } from "../resources/table.ts";
import type { RouteContract } from "./contract.ts";
import type { Checks, Subject } from "./report.ts";

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

/** The run ends here: its time is over, it was asked to stop, or it would keep too much. Says nothing about the server. */
export class CutOff extends Error {
  override readonly name = "CutOff";
}

/** The server closed a keep-alive connection before the request was sent. The caller retries. */
export class ClosedConnection extends NoResponse {}

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

const texts = new WeakMap<Uint8Array, string | undefined>();

/** Returns the body as text; undefined if it is not UTF-8. */
export function textOf({ body }: Reply): string | undefined {
  if (!texts.has(body)) texts.set(body, decode(body));
  return texts.get(body);
}

/** Returns the body as JSON; undefined if it is invalid. The result is cached: do not change it. */
export function jsonOf(reply: Reply): unknown {
  if (!parsed.has(reply.body)) parsed.set(reply.body, parse(textOf(reply)));
  return parsed.get(reply.body);
}

const parsed = new WeakMap<Uint8Array, unknown>();

function decode(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return undefined;
  }
}

function parse(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A request and response with their route or file, and the run that collects findings. */
export interface Judged {
  readonly run: Checks;
  readonly route: RouteContract | undefined;
  /** Set if the path matches a file. */
  readonly file?: NamedFile | undefined;
  readonly subject: Subject;
  readonly sent: Sent;
  readonly reply: Reply;
}

/** A URL of a route; `target` is path and query. */
export interface UrlSubject {
  readonly route: RouteContract;
  readonly target: string;
}

/** Describes the request for findings. */
export function requestText({ sent }: Judged): string {
  const lines = Object.entries(sent.headers)
    .filter(([name, value]) => name !== "accept-encoding" || value !== "identity")
    .map(([name, value]) => `${name}: ${value}`);
  return `${sent.method} ${sent.target}${lines.length === 0 ? "" : ` with ${lines.join(", ")}`}`;
}

/** Returns a header's value in quotes; `none` if it is absent. */
export function shown(value: string | undefined): string {
  return value === undefined ? "none" : `"${value}"`;
}

/** Returns a tag without its `W/`. */
export function strongTag(tag: string): string {
  return tag.startsWith("W/") ? tag.slice(2) : tag;
}
