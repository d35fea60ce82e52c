/** Runs exchanges against any server, and reports where a response differs from what is written. */
import {
  type Exchange,
  type ExchangeRequest,
  fill,
  headersOf,
  plainTargetOf,
  usesTag,
  valueAt,
} from "../../../src/judge/exchanges/format.ts";
import type { StoredObject } from "../../../src/object-store/object-store.ts";
import { faultsOf } from "../hostile/judge.ts";

export interface ScriptAnswer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** "" if there is none. */
  readonly body: string;
}

export interface ScriptTarget {
  send(method: string, target: string, headers: Readonly<Record<string, string>>): Promise<ScriptAnswer>;
  /** Headers that the way there adds and that say nothing about the response (`date`, `via`, …). */
  readonly transport: readonly string[];
  /** A test's hand on clock and store; blocks that need more than it has are passed over by name. */
  readonly control?: ScriptControl;
  /** The objects of the world, for `= object`. */
  object(key: string): Promise<StoredObject | undefined>;
}

export interface ScriptControl {
  setClock(msAfterWorld: number): void | Promise<void>;
  takeAway(key: string): Promise<void>;
  failStore(): void | Promise<void>;
  putBack(): Promise<void>;
}

/** On every response (docs/spec/api.md#http). Written out here: a script is no place to import what it checks. */
const EVERYWHERE: Readonly<Record<string, string>> = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "ETag, Retry-After, X-Service-Settlement-Source, X-Service-Settlement-Fallback-Reason",
  "x-content-type-options": "nosniff",
};
/** The world's own. */
const FILLING = { unique: "nowhere", installationId: "wheel-1" };

export interface ScriptOutcome {
  readonly differences: readonly string[];
  readonly requests: number;
  /** Blocks that need a hand on clock or store which the target does not give. */
  readonly passedOver: readonly string[];
}

export async function runScript(blocks: readonly Exchange[], target: ScriptTarget): Promise<ScriptOutcome> {
  const differences: string[] = [];
  const passedOver: string[] = [];
  let requests = 0;
  for (const block of blocks) {
    const needsHand = block.clock !== undefined || block.storeFails || block.without.length > 0;
    if (needsHand && target.control === undefined) {
      passedOver.push(block.where);
      continue;
    }
    const written = await writtenBody(block, target);
    await prepare(block, target.control);
    try {
      for (const request of block.requests) {
        const { method, target: path } = request;
        const plain = await plainOf(block, request, target);
        const tag = /^"(.*)"$/.exec(plain?.headers.etag ?? "")?.[1];
        // Some of the world's responses are errors, which have no tag to ask with.
        if (tag === undefined && (usesTag(block) || (block.rule !== undefined && block.status === 304))) continue;
        for (const headers of headersOf(block)) {
          requests++;
          const values = Object.entries(headers).map(([name, value]) => [name, fill(value, { ...FILLING, tag })]);
          const asked = { method, path: fill(path, FILLING), headers: Object.fromEntries(values) };
          const found = await differencesOf(asked, expectedOf(block, written, plain), target);
          const said = JSON.stringify(asked.headers);
          differences.push(...found.map((text) => `${block.where}: ${method} ${asked.path} ${said}: ${text}`));
        }
      }
    } finally {
      if (needsHand) await target.control?.putBack();
    }
  }
  return { differences, requests, passedOver };
}

async function prepare(block: Exchange, control: ScriptControl | undefined): Promise<void> {
  if (block.clock !== undefined) await control?.setClock(block.clock);
  for (const key of block.without) await control?.takeAway(key);
  if (block.storeFails) await control?.failStore();
}

async function writtenBody({ body, where }: Exchange, target: ScriptTarget): Promise<string | undefined> {
  if (body === undefined || "text" in body) return body?.text;
  const object = await target.object(body.object);
  if (object === undefined) throw new Error(`${where}: the world has no object ${body.object}`);
  return new TextDecoder().decode(object.body);
}

async function plainOf(block: Exchange, request: ExchangeRequest, target: ScriptTarget) {
  if (block.rule === undefined || (block.as === undefined && block.first === undefined && block.status !== 304))
    return undefined;
  return target.send("GET", fill(plainTargetOf(block, request), FILLING), {});
}

interface Expected {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Absent for a body of which values alone are written. */
  readonly body?: string | undefined;
  readonly values: readonly (readonly [path: string, json: string])[];
}

function expectedOf(block: Exchange, written: string | undefined, plain: ScriptAnswer | undefined): Expected {
  const { as, first } = block;
  if (plain !== undefined && as !== undefined) return { ...plain, values: [] };
  if (plain !== undefined && first !== undefined) return { ...plain, body: undefined, values: firstOf(plain, first) };
  const hasBody = block.body !== undefined || block.values.length > 0;
  const type = hasBody ? { "content-type": "application/json; charset=utf-8" } : {};
  const headers: Record<string, string | undefined> = { ...EVERYWHERE, ...type };
  for (const [name, value] of Object.entries(block.headers)) {
    headers[name] = value === "{plain}" ? plain?.headers[name] : value;
  }
  for (const name of block.lacks) delete headers[name];
  const values = block.values.map(({ path, json }) => [path, json] as const);
  return { status: block.status, headers, body: written ?? (hasBody ? undefined : ""), values };
}

function firstOf(plain: ScriptAnswer, { count, name }: NonNullable<Exchange["first"]>): Expected["values"] {
  const whole = valueAt(JSON.parse(plain.body), name) as { cursor: string }[];
  const items = whole.slice(0, count);
  const next = count < whole.length ? (items.at(-1)?.cursor ?? null) : valueAt(JSON.parse(plain.body), "nextCursor");
  return [
    [name, JSON.stringify(items)],
    ["nextCursor", JSON.stringify(next)],
  ];
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

async function differencesOf(asked: Asked, expected: Expected, target: ScriptTarget): Promise<string[]> {
  const { method, path } = asked;
  const answer = await target.send(method, path, asked.headers);
  const found: string[] = [];
  const differs = (what: string, wanted: unknown, got: unknown) => {
    if (wanted !== got) found.push(`${what} is ${JSON.stringify(got)}, not ${JSON.stringify(wanted)}`);
  };
  differs("status", expected.status, answer.status);
  const length = expected.body === "" ? expected.headers["content-length"] : String(Buffer.byteLength(answer.body));
  const wanted: Expected["headers"] = { ...expected.headers, "content-length": length };
  for (const name of new Set([...Object.keys(wanted), ...Object.keys(answer.headers)])) {
    if (!target.transport.includes(name)) differs(name, wanted[name], answer.headers[name]);
  }
  if (expected.body !== undefined) differs("body", timeless(expected.body), timeless(answer.body));
  for (const [value, json] of expected.values) {
    differs(value, json, JSON.stringify(valueAt(JSON.parse(answer.body), value)));
  }
  if (answer.status !== 500) found.push(...faultsOf({ method, target: path }, answer));
  if (method === "GET") found.push(...(await headDifferences(asked, answer, target)));
  return found;
}

/** The publication's status says the instant at which it was asked for. */
function timeless(body: string): string {
  return body.replace(/"now":"[^"]*"/, '"now":""');
}

/** Every GET is asked as HEAD too: the same status and headers, and no body. */
async function headDifferences({ path, headers }: Asked, get: ScriptAnswer, target: ScriptTarget): Promise<string[]> {
  const head = await target.send("HEAD", path, headers);
  const comparable = (one: ScriptAnswer) =>
    JSON.stringify([
      one.status,
      Object.entries(one.headers)
        .filter(([name]) => !target.transport.includes(name))
        .toSorted(([one], [other]) => (one < other ? -1 : 1)),
    ]);
  const found: string[] = [];
  if (comparable(head) !== comparable(get)) found.push(`HEAD is ${comparable(head)}, GET ${comparable(get)}`);
  if (head.body !== "") found.push("HEAD has a body");
  return found;
}
