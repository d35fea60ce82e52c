/** Runs HTTP scripts against anything that answers requests, and says where an answer differs from what is written. */
import type { StoredObject } from "../../../src/object-store/object-store.ts";
import { faultsOf } from "../hostile/judge.ts";
import type { ScriptBlock } from "./http-script.ts";

export interface ScriptAnswer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** "" where there is none. */
  readonly body: string;
}

export interface ScriptTarget {
  send(method: string, target: string, headers: Readonly<Record<string, string>>): Promise<ScriptAnswer>;
  /** Headers that the way there adds and that say nothing about the answer (`date`, `via`, …). */
  readonly transport: readonly string[];
  /** What a target in a test's hands can do besides; blocks that need more than it has are passed over by name. */
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

/** On every answer (docs/spec/api.md#http). Written out here: a script is no place to import what it checks. */
const EVERYWHERE: Readonly<Record<string, string>> = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "ETag, Retry-After, X-Service-Settlement-Source, X-Service-Settlement-Fallback-Reason",
  "x-content-type-options": "nosniff",
};

export interface ScriptOutcome {
  readonly differences: readonly string[];
  readonly requests: number;
  /** Blocks that need a hand on clock or store which the target does not give. */
  readonly passedOver: readonly string[];
}

export async function runScript(blocks: readonly ScriptBlock[], target: ScriptTarget): Promise<ScriptOutcome> {
  const differences: string[] = [];
  const passedOver: string[] = [];
  let requests = 0;
  for (const block of blocks) {
    const needsHand = block.clock !== undefined || block.storeFails || block.without.length > 0;
    if (needsHand && target.control === undefined) {
      passedOver.push(block.where);
      continue;
    }
    const expected = await expectedBody(block, target);
    await prepare(block, target.control);
    try {
      for (const request of block.requests) {
        requests++;
        const found = await differencesOf(block, expected, request, target);
        differences.push(...found.map((text) => `${block.where}: ${request.method} ${request.target}: ${text}`));
      }
    } finally {
      await target.control?.putBack();
    }
  }
  return { differences, requests, passedOver };
}

async function prepare(block: ScriptBlock, control: ScriptControl | undefined): Promise<void> {
  if (block.clock !== undefined) await control?.setClock(block.clock);
  for (const key of block.without) await control?.takeAway(key);
  if (block.storeFails) await control?.failStore();
}

async function expectedBody({ body, where }: ScriptBlock, target: ScriptTarget): Promise<string | undefined> {
  if (body === undefined || "text" in body) return body?.text;
  const object = await target.object(body.object);
  if (object === undefined) throw new Error(`${where}: the world has no object ${body.object}`);
  return new TextDecoder().decode(object.body);
}

async function differencesOf(
  block: ScriptBlock,
  expectedText: string | undefined,
  { method, target: path }: ScriptBlock["requests"][number],
  target: ScriptTarget,
): Promise<string[]> {
  const answer = await target.send(method, path, block.requestHeaders);
  const found: string[] = [];
  const differs = (what: string, expected: unknown, got: unknown) => {
    if (expected !== got) found.push(`${what} is ${JSON.stringify(got)}, not ${JSON.stringify(expected)}`);
  };
  const hasBody = block.body !== undefined || block.values.length > 0;
  differs("status", block.status, answer.status);
  const bytes = String(Buffer.byteLength(answer.body));
  const expected: Record<string, string> = {
    ...EVERYWHERE,
    ...(hasBody ? { "content-type": "application/json; charset=utf-8", "content-length": bytes } : {}),
    ...block.headers,
  };
  for (const name of block.lacks) delete expected[name];
  const got = Object.fromEntries(Object.entries(answer.headers).filter(([name]) => !target.transport.includes(name)));
  for (const name of new Set([...Object.keys(expected), ...Object.keys(got)])) differs(name, expected[name], got[name]);
  if (block.body !== undefined || !hasBody) differs("body", expectedText ?? "", answer.body);
  for (const { path: value, json } of block.values) {
    differs(value, json, JSON.stringify(valueAt(JSON.parse(answer.body), value)));
  }
  if (answer.status !== 500) found.push(...faultsOf({ method, target: path }, answer));
  if (method === "GET") found.push(...(await headDifferences(path, block, answer, target)));
  return found;
}

/** Every GET is asked as HEAD too: the same status and headers, and no body. */
async function headDifferences(
  path: string,
  { requestHeaders }: ScriptBlock,
  get: ScriptAnswer,
  target: ScriptTarget,
): Promise<string[]> {
  const head = await target.send("HEAD", path, requestHeaders);
  const comparable = ({ status, headers }: ScriptAnswer) =>
    JSON.stringify([
      status,
      Object.entries(headers)
        .filter(([name]) => !target.transport.includes(name))
        .toSorted(([one], [other]) => (one < other ? -1 : 1)),
    ]);
  const found: string[] = [];
  if (comparable(head) !== comparable(get)) found.push(`HEAD is ${comparable(head)}, GET ${comparable(get)}`);
  if (head.body !== "") found.push("HEAD has a body");
  return found;
}

function valueAt(json: unknown, path: string): unknown {
  let value = json;
  for (const name of path.split(".")) value = (value as Record<string, unknown> | undefined)?.[name];
  return value;
}
