/**
 * Random faults from a seed, over every URL and every part of its response. Each changes a reader's response, although
 * a few cannot be distinguished from another correct response.
 */
import { fraction } from "../../../../demo/history/random.ts";
import { jsonOf, type Reply, type Sent, type Transport } from "../../../../src/verify/exchange.ts";
import {
  type Any,
  error,
  type Change as Fixed,
  headers,
  isGood,
  onReply,
  type Planted,
  status,
  text,
  textOf,
} from "./plant.ts";
import { SUBJECTS } from "./subjects.ts";

type Draw = (below: number) => number;
type Change = (reply: Reply, draw: Draw) => Fixed;

const HEADERS = ["etag", "cache-control", "content-type", "access-control-allow-origin", "x-content-type-options"];
const STATUSES = [201, 204, 206, 301, 400, 404, 418, 500, 502, 503];

const CHANGES: readonly (readonly [name: string, change: Change])[] = [
  ["a header is missing", (reply, draw) => headers({ [nameIn(reply, draw)]: null })],
  ["a header has another value", (reply, draw) => headers({ [nameIn(reply, draw)]: '"other"' })],
  ["a header is added", (_, draw) => headers({ [`x-amz-${draw(1000)}`]: "1" })],
  ["another status", (_, draw) => status(STATUSES[draw(STATUSES.length)] ?? 418)],
  ["an error instead", (_, draw) => error([404, 500, 503][draw(3)] ?? 500, "went_wrong")],
  ["the body is truncated", (reply, draw) => text((whole) => whole.slice(0, draw(textOf(reply).length)))],
  ["a field is missing", edited((parent, key) => delete parent[key])],
  ["a field is null", edited((parent, key) => (parent[key] = null))],
  ["a field is of another type", edited((parent, key) => (parent[key] = typeof parent[key] === "string" ? 1 : "x"))],
  ["a field is added", edited((parent) => (parent.unknownToAll = true))],
  ["a text is longer", edited((parent, key) => (parent[key] = `${String(parent[key])}0`))],
  ["an array is doubled", edited(doubled)],
];

/** `count` faults; the same for the same seed. */
export function drawnFaults(seed: number, count: number): Planted[] {
  return Array.from({ length: count }, (_, index) => {
    let turn = 0;
    const draw = (below: number) => Math.floor(fraction(seed, index, turn++) * below);
    const { route, target } = SUBJECTS[draw(SUBJECTS.length)] as (typeof SUBJECTS)[number];
    const [kind, change] = CHANGES[draw(CHANGES.length)] as (typeof CHANGES)[number];
    return {
      name: `${index}. ${target}: ${kind}`,
      families: ["answer", "not-modified", "method"] as const,
      only: [route.name],
      fault: onReply(
        (sent, reply) => sent.target === target && isGood(sent, reply),
        (reply) => change(reply, draw)(reply),
      ),
    };
  });
}

/** Faults that change the response. A random edit may hit an empty array. */
export async function effective(faults: readonly Planted[], send: Transport): Promise<Planted[]> {
  const found = await Promise.all(
    faults.map(async (planted) => {
      const target = /^\d+\. (\S+): /.exec(planted.name)?.[1] ?? "";
      const sent: Sent = { method: "GET", target, headers: {} };
      const [right, wrong] = [await send(sent), await planted.fault(sent, send)];
      const same =
        right.status === wrong.status && textOf(right) === textOf(wrong) && headersOf(right) === headersOf(wrong);
      return same ? [] : [planted];
    }),
  );
  return found.flat();
}

function nameIn(reply: Reply, draw: (below: number) => number): string {
  const names = HEADERS.filter((name) => reply.headers.has(name));
  return names[draw(names.length)] ?? "content-type";
}

function edited(edit: (parent: Any, key: string) => unknown): Change {
  return (reply, draw) => {
    const body = structuredClone(jsonOf(reply)) as Any;
    const places = placesOf(body);
    const [parent, key] = places[draw(places.length)] ?? [body, "schemaVersion"];
    edit(parent, key);
    return text(JSON.stringify(body));
  };
}

function placesOf(value: unknown): [Any, string][] {
  if (value === null || typeof value !== "object") return [];
  const parent = value as Any;
  return Object.keys(parent).flatMap((key): [Any, string][] => [[parent, key], ...placesOf(parent[key])]);
}

function doubled(parent: Any): void {
  for (const [key, value] of Object.entries(parent)) if (Array.isArray(value)) parent[key] = [...value, ...value];
}

function headersOf({ headers }: Reply): string {
  return JSON.stringify([...headers]);
}
