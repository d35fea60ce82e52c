/** One request and its response, in the form in which the rules read it. */
import type { NamedFile } from "../resources/table.ts";
import type { RouteContract } from "./contract.ts";
import type { Checks, Subject } from "./report.ts";

export interface Sent {
  readonly method: string;
  /** Path and query as sent, below the base URL. */
  readonly target: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface Reply {
  readonly status: number;
  /** The values of each lower-case name, in order. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  /** Decoded if the Content-Encoding is known. */
  readonly body: Uint8Array;
  /** Bytes of the body on the wire. */
  readonly wireLength: number;
  /** This machine's clock (epoch ms) when the head had arrived. */
  readonly at: number;
}

/** Rejects with `Unanswered`. */
export type Transport = (sent: Sent) => Promise<Reply>;

/** No whole HTTP response: refused, reset, timed out, cut off, or too large. */
export class Unanswered extends Error {
  override readonly name = "Unanswered";
}

/** A response with more bytes than are read. */
export class TooLarge extends Unanswered {}

/** The server had closed a kept connection before the request went out. The caller sends the request again. */
export class ClosedConnection extends Unanswered {}

/** All values of one name, joined to one list as HTTP allows. */
export function header(reply: Reply, name: string): string | undefined {
  return reply.headers.get(name)?.join(", ");
}

/** The instant (epoch ms) at which a reply is judged: its Date plus its Age, or this machine's clock if it has no Date. */
export function instantOf(reply: Reply): number {
  const date = Date.parse(header(reply, "date") ?? "");
  if (Number.isNaN(date)) return reply.at;
  const age = Number(header(reply, "age") ?? "0");
  return date + (Number.isFinite(age) ? age * 1000 : 0);
}

const texts = new WeakMap<Uint8Array, string | undefined>();

/** The body as text; undefined if it is not UTF-8. */
export function textOf({ body }: Reply): string | undefined {
  if (!texts.has(body)) texts.set(body, decode(body));
  return texts.get(body);
}

/** The body as JSON; undefined if it is not JSON. It is parsed once: do not change the result. */
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

/** An exchange with its route or file, and the run that gets its findings. */
export interface Judged {
  readonly run: Checks;
  readonly route: RouteContract | undefined;
  /** The file, if the path is one of a file. */
  readonly file?: NamedFile | undefined;
  readonly subject: Subject;
  readonly sent: Sent;
  readonly reply: Reply;
}

/** A URL of a route. The target is path and query. */
export interface UrlSubject {
  readonly route: RouteContract;
  readonly target: string;
}

/** The request as a finding shows it. */
export function requestText({ sent }: Judged): string {
  const lines = Object.entries(sent.headers)
    .filter(([name, value]) => name !== "accept-encoding" || value !== "identity")
    .map(([name, value]) => `${name}: ${value}`);
  return `${sent.method} ${sent.target}${lines.length === 0 ? "" : ` with ${lines.join(", ")}`}`;
}

/** A header's value in quotes; `none` if it is absent. */
export function shown(value: string | undefined): string {
  return value === undefined ? "none" : `"${value}"`;
}
