/** One request and what came back, as the rules see it. */

export interface Sent {
  readonly method: string;
  /** Path and query as they go on the wire, below the base URL. */
  readonly target: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface Reply {
  readonly status: number;
  /** Every line by lower-case name, in order. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  /** Content-Encoding undone where it is one that we know. */
  readonly body: Uint8Array;
  /** Bytes of the body on the wire. */
  readonly wireLength: number;
  /** Own clock (epoch ms) when the head had arrived. */
  readonly at: number;
}

/** Rejects with `Unanswered`. */
export type Transport = (sent: Sent) => Promise<Reply>;

/** No HTTP response: refused, reset, timed out, cut off, or more than is read. */
export class Unanswered extends Error {
  override readonly name = "Unanswered";
}

/** A response with more than is read. */
export class TooLarge extends Unanswered {}

/** A connection that was kept had been closed by the other side before the request went out: it is to be sent again. */
export class ClosedConnection extends Unanswered {}

/** Lines of one name as one list, as HTTP allows. */
export function header(reply: Reply, name: string): string | undefined {
  return reply.headers.get(name)?.join(", ");
}

/** The clock by which a reply is judged (epoch ms): the server's own Date, a cache's Age added to it, else ours. */
export function instantOf(reply: Reply): number {
  const date = Date.parse(header(reply, "date") ?? "");
  if (Number.isNaN(date)) return reply.at;
  const age = Number(header(reply, "age") ?? "0");
  return date + (Number.isFinite(age) ? age * 1000 : 0);
}

const texts = new WeakMap<Uint8Array, string | undefined>();

/** The body as text; undefined where it is no UTF-8. */
export function textOf({ body }: Reply): string | undefined {
  if (!texts.has(body)) texts.set(body, decode(body));
  return texts.get(body);
}

/** The body as JSON; undefined where it is none. Never mutate it: it is parsed once. */
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
