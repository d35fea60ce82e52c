/** Plants a fault in the request to the stand-in server, or in its response. */

import type { RouteName } from "../../../../src/resources/table.ts";
import { jsonOf, type Reply, type Sent, type Transport } from "../../../../src/verify/exchange.ts";
import type { FamilyName } from "../../../../src/verify/verify.ts";

export interface Planted {
  readonly name: string;
  readonly families: readonly FamilyName[];
  readonly only?: readonly RouteName[];
  readonly fault: (sent: Sent, next: Transport) => Promise<Reply>;
}

const encoder = new TextEncoder();

/** The requests that a fault affects. */
export type When = (sent: Sent, reply: Reply) => boolean;
export type Change = (reply: Reply) => Reply;
type Families = FamilyName | readonly FamilyName[];

/** Creates faults of one route; `prefix` starts their names. */
export function planter(prefix: string, families: Families, only?: RouteName) {
  const fault = (name: string, planted: Planted["fault"], other: Families = families): Planted => ({
    name: `${prefix}${name}`,
    families: [other].flat() as FamilyName[],
    ...(only === undefined ? {} : { only: [only] }),
    fault: planted,
  });
  return {
    fault,
    /** Changes the response. */
    reply: (name: string, when: When, change: Change) => fault(name, onReply(when, change)),
    /** Sends another request to the server; undefined keeps it. */
    request: (name: string, rewrite: Parameters<typeof onRequest>[0]) => fault(name, onRequest(rewrite)),
    /** Changes a field of a good body. */
    body: (name: string, when: When, change: Edit) => fault(name, editBody(when, change)),
  };
}

export function onReply(when: When, change: Change): Planted["fault"] {
  const changed = new WeakMap<Reply, Reply>();
  return async (sent, next) => {
    const reply = await next(sent);
    if (!when(sent, reply)) return reply;
    const known = changed.get(reply) ?? change(reply);
    changed.set(reply, known);
    return known;
  };
}

export function onRequest(rewrite: (sent: Sent) => Partial<Sent> | undefined): Planted["fault"] {
  return (sent, next) => next({ ...sent, ...rewrite(sent) });
}

/** Changes the headers in `changes`; null removes one. */
export const headers =
  (changes: Readonly<Record<string, string | null>>): Change =>
  (reply) => {
    const changed = new Map(reply.headers);
    for (const [name, value] of Object.entries(changes)) {
      if (value === null) changed.delete(name);
      else changed.set(name, [value]);
    }
    return { ...reply, headers: changed };
  };

/** Replaces the body, or edits its text. */
export const text =
  (to: string | ((from: string) => string)): Change =>
  (reply) => {
    const body = encoder.encode(typeof to === "string" ? to : to(textOf(reply)));
    const lengths = reply.headers.has("content-length") ? { "content-length": String(body.length) } : {};
    return { ...headers(lengths)(reply), body, wireLength: body.length };
  };

export const status =
  (code: number): Change =>
  (reply) => ({ ...reply, status: code });

/** All of the changes, in order. */
export const both =
  (...changes: readonly Change[]): Change =>
  (reply) =>
    changes.reduce((changed, change) => change(changed), reply);

const BARE = {
  etag: null,
  "cache-control": null,
  "x-service-settlement-source": null,
  "content-type": "application/json; charset=utf-8",
};
/** An error in the stand-in's format. */
export const error = (code: number, name: string): Change =>
  both(headers(BARE), status(code), text(JSON.stringify({ error: name })));

/** Untyped, as from JSON.parse, because fields are broken on purpose. */
export type Any = ReturnType<typeof JSON.parse>;
export type Edit = (body: Any) => unknown;

/** A deep copy of the body, changed in place. Returning `false` keeps the response. */
export function editBody(when: When, edit: Edit): Planted["fault"] {
  return onReply(
    (sent, reply) => isGood(sent, reply) && when(sent, reply),
    (reply) => {
      const body = structuredClone(jsonOf(reply));
      return edit(body) === false ? reply : text(JSON.stringify(body))(reply);
    },
  );
}

/** The parent of a path such as `events.0.id`, and the path's last key; -1 is an array's last index. */
function placeOf(body: Any, path: string): [parent: Any, key: string] {
  const keys = path.split(".");
  const key = keys.pop() as string;
  return [keys.reduce((value, one) => (Array.isArray(value) ? value.at(Number(one)) : value[one]), body), key];
}

export const edit =
  (path: string, to: (value: Any) => unknown): Edit =>
  (body) => {
    const [parent, key] = placeOf(body, path);
    parent[key] = to(parent[key]);
  };
const plus = (value: Any, by: bigint) =>
  typeof value === "number" ? value + Number(by) : String(BigInt(value ?? "0") + by);
export const add = (path: string, by = 1n): Edit => edit(path, (value) => plus(value, by));
/** Copies the value at another path, increased by `by`. */
export const copy =
  (path: string, from: string, by = 0n): Edit =>
  (body) => {
    const [parent, key] = placeOf(body, from);
    edit(path, () => (by === 0n ? parent[key] : plus(parent[key], by)))(body);
  };
export const set = (path: string, value: unknown): Edit => edit(path, () => value);
export const merge = (path: string, fields: object): Edit => edit(path, (value) => ({ ...value, ...fields }));
export const reversed = (path: string): Edit => edit(path, (value) => value.toReversed());
/** Moves a timestamp. */
export const move = (path: string, ms: number): Edit =>
  edit(path, (value) => new Date(Date.parse(value) + ms).toISOString());
export const all =
  (...edits: readonly Edit[]): Edit =>
  (body) =>
    edits.forEach((one) => void one(body));

export const textOf = ({ body }: Reply): string => new TextDecoder().decode(body);
export const pathOf = ({ target }: Sent): string => target.split("?", 1)[0] ?? target;
export const queryOf = ({ target }: Sent): string =>
  target.includes("?") ? target.slice(target.indexOf("?") + 1) : "";
export const isGood: When = ({ method }, reply) => method === "GET" && reply.status === 200;
export const isAt = (path: string) => (sent: Sent) => pathOf(sent) === path;
export const isTarget = (target: string) => (sent: Sent) => sent.target === target;
