/** Runs HTTP exchanges against any server and reports the differences from the script. */

import type { StoredObject } from "../../../src/object-store/object-store.ts";
import {
  type Exchange,
  type ExchangeRequest,
  fill,
  headersOf,
  plainTargetOf,
  usesTag,
  valueAt,
} from "../../../src/verify/exchanges/format.ts";
import { faultsOf } from "../judge.ts";

export interface ScriptResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** "" if there is no body. */
  readonly body: string;
}

export interface ScriptTarget {
  send(method: string, target: string, headers: Readonly<Record<string, string>>): Promise<ScriptResponse>;
  /** Headers of the transport, which are not part of the response (`date`, `via`, …). */
  readonly transport: readonly string[];
  /** Control over clock and store. Without it, blocks that need it are skipped and reported. */
  readonly control?: ScriptControl;
  /** The objects of the world, for `= object`. */
  object(key: string): Promise<StoredObject | undefined>;
}

export interface ScriptControl {
  setClock(msAfterWorld: number): void | Promise<void>;
  deleteObject(key: string): Promise<void>;
  failStore(): void | Promise<void>;
  restore(): Promise<void>;
}

/**
 * Headers of every response (docs/spec/api.md#http). Repeated here on purpose: the script must not import what it
 * checks.
 */
const EVERYWHERE: Readonly<Record<string, string>> = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "ETag, Retry-After, X-Service-Settlement-Source, X-Service-Settlement-Fallback-Reason",
  "x-content-type-options": "nosniff",
};
/** Values of the world for placeholders. */
const FILLING = { unique: "nowhere", installationId: "wheel-1" };

export interface ScriptOutcome {
  readonly differences: readonly string[];
  readonly requests: number;
  /** Blocks that need control over clock or store, which the target lacks. */
  readonly skipped: readonly string[];
}

export async function runScript(blocks: readonly Exchange[], target: ScriptTarget): Promise<ScriptOutcome> {
  const differences: string[] = [];
  const skipped: string[] = [];
  let requests = 0;
  for (const block of blocks) {
    const needsControl = block.clock !== undefined || block.storeFails || block.without.length > 0;
    if (needsControl && target.control === undefined) {
      skipped.push(block.where);
      continue;
    }
    const written = await writtenBody(block, target);
    await prepare(block, target.control);
    try {
      for (const request of block.requests) {
        const { method, target: path } = request;
        const plain = await plainOf(block, request, target);
        const tag = /^"(.*)"$/.exec(plain?.headers.etag ?? "")?.[1];
        // Some responses of the world are errors without a tag, which cannot be revalidated.
        if (tag === undefined && (usesTag(block) || (block.rule !== undefined && block.status === 304))) continue;
        for (const headers of headersOf(block)) {
          requests++;
          const values = Object.entries(headers).map(([name, value]) => [name, fill(value, { ...FILLING, tag })]);
          const current = { method, path: fill(path, FILLING), headers: Object.fromEntries(values) };
          const found = await differencesOf(current, expectedOf(block, written, plain), target);
          const shownHeaders = JSON.stringify(current.headers);
          differences.push(
            ...found.map((text) => `${block.where}: ${method} ${current.path} ${shownHeaders}: ${text}`),
          );
        }
      }
    } finally {
      if (needsControl) await target.control?.restore();
    }
  }
  return { differences, requests, skipped };
}

async function prepare(block: Exchange, control: ScriptControl | undefined): Promise<void> {
  if (block.clock !== undefined) await control?.setClock(block.clock);
  for (const key of block.without) await control?.deleteObject(key);
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
  /** Undefined if the script gives only single values of the body. */
  readonly body?: string | undefined;
  readonly values: readonly (readonly [path: string, json: string])[];
}

function expectedOf(block: Exchange, written: string | undefined, plain: ScriptResponse | undefined): Expected {
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

function firstOf(plain: ScriptResponse, { count, name }: NonNullable<Exchange["first"]>): Expected["values"] {
  const whole = valueAt(JSON.parse(plain.body), name) as { cursor: string }[];
  const items = whole.slice(0, count);
  const next = count < whole.length ? (items.at(-1)?.cursor ?? null) : valueAt(JSON.parse(plain.body), "nextCursor");
  return [
    [name, JSON.stringify(items)],
    ["nextCursor", JSON.stringify(next)],
  ];
}

interface ScriptRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

async function differencesOf(current: ScriptRequest, expected: Expected, target: ScriptTarget): Promise<string[]> {
  const { method, path } = current;
  const answer = await target.send(method, path, current.headers);
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
  if (method === "GET") found.push(...(await headDifferences(current, answer, target)));
  return found;
}

/** The publication status contains the time of the request. */
function timeless(body: string): string {
  return body.replace(/"now":"[^"]*"/, '"now":""');
}

/** Repeats every GET as HEAD. It must have the same status and headers and no body. */
async function headDifferences(
  { path, headers }: ScriptRequest,
  get: ScriptResponse,
  target: ScriptTarget,
): Promise<string[]> {
  const head = await target.send("HEAD", path, headers);
  const comparable = (one: ScriptResponse) =>
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
