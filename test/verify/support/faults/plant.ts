/** Plants a fault in the request to the stand-in, or in its response. */

import { jsonOf, type Reply, type Sent, type Transport } from "../../../../src/judge/exchange.ts";
import type { RouteName } from "../../../../src/resources/table.ts";
import type { FamilyName } from "../../../../src/verify/verify.ts";

export interface Planted {
  readonly name: string;
  readonly families: readonly FamilyName[];
  readonly only?: readonly RouteName[];
  readonly fault: (sent: Sent, next: Transport) => Promise<Reply>;
}

const encoder = new TextEncoder();

/** Which requests a fault befalls. */
export type When = (sent: Sent, reply: Reply) => boolean;

export function onReply(when: When, change: (reply: Reply, sent: Sent) => Reply): Planted["fault"] {
  const changed = new WeakMap<Reply, Reply>();
  return async (sent, next) => {
    const reply = await next(sent);
    if (!when(sent, reply)) return reply;
    const known = changed.get(reply) ?? change(reply, sent);
    changed.set(reply, known);
    return known;
  };
}

/** Another request in place of the one that was sent; undefined leaves it. */
export function onRequest(rewrite: (sent: Sent) => Partial<Sent> | undefined): Planted["fault"] {
  return (sent, next) => next({ ...sent, ...rewrite(sent) });
}

export function withHeaders(reply: Reply, changes: Readonly<Record<string, string | null>>): Reply {
  const headers = new Map(reply.headers);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) headers.delete(name);
    else headers.set(name, [value]);
  }
  return { ...reply, headers };
}

export function withBody(reply: Reply, text: string): Reply {
  const body = encoder.encode(text);
  const lengths = reply.headers.has("content-length") ? { "content-length": String(body.length) } : {};
  return { ...withHeaders(reply, lengths), body, wireLength: body.length };
}

export function withStatus(reply: Reply, status: number): Reply {
  return { ...reply, status };
}

/** An error as the stand-in would write it. */
export function asError(reply: Reply, status: number, code: string): Reply {
  const bare = withHeaders(reply, {
    etag: null,
    "cache-control": null,
    "x-service-settlement-source": null,
    "content-type": "application/json; charset=utf-8",
  });
  return withBody(withStatus(bare, status), JSON.stringify({ error: code }));
}

/** A deep copy of the body, changed in place; `false` leaves the response as it was. */
export function editBody(when: When, edit: (body: never) => unknown): Planted["fault"] {
  return onReply(
    (sent, reply) => reply.status === 200 && sent.method === "GET" && when(sent, reply),
    (reply) => {
      const body = structuredClone(jsonOf(reply)) as never;
      return edit(body) === false ? reply : withBody(reply, JSON.stringify(body));
    },
  );
}

export const pathOf = ({ target }: Sent): string => target.split("?", 1)[0] ?? target;
export const queryOf = ({ target }: Sent): string =>
  target.includes("?") ? target.slice(target.indexOf("?") + 1) : "";
export const isAt =
  (path: string): When =>
  (sent) =>
    pathOf(sent) === path;
export const isTarget =
  (target: string): When =>
  (sent) =>
    sent.target === target;
