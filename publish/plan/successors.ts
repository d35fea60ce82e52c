/**
 * Computes a response's successors: what it becomes later without new input (docs/spec/publishing.md#future). A successor
 * has the same bytes that a running publisher would put at its instant.
 */
import { createHash } from "node:crypto";
import { representationOf } from "../../src/http/representation.ts";
import { type Edit, MAX_SUCCESSORS, type Successor } from "../../src/http/successor.ts";
import { MAX_METADATA_BYTES } from "../../src/object-store/check-object.ts";
import type { StoreObject } from "../../src/object-store/object-store.ts";
import { encodeResponse } from "../../src/object-store/stored-response.ts";
import type { Built } from "../../src/resources/built.ts";
import { Failure } from "../../src/values/failure.ts";

/** Since when (epoch ms) a version of a response holds, and its fingerprint. */
export type State = [from: number, fingerprint: string];

export interface Future {
  readonly built: Built;
  /** The state of the response itself, then of each successor. */
  readonly states: readonly State[];
  readonly successors: readonly Successor[];
}

/** `built`: the build as of `at`, if there is one already. */
export function futureOf(build: (at: number) => Built, at: number, built: Built = build(at)): Future {
  const states: State[] = [[at, fingerprintOf(built)]];
  const successors: Successor[] = [];
  let last = built;
  while (last.nextChangeAt !== undefined && successors.length < MAX_SUCCESSORS) {
    const from = last.nextChangeAt;
    if (last.successorKey !== undefined) {
      states.push([from, last.successorKey]);
      successors.push({ from, key: last.successorKey });
      break;
    }
    const next = last.successor ?? build(from);
    states.push([from, fingerprintOf(next)]);
    successors.push(successorOf(built, next, from));
    last = next;
  }
  return { built, states, successors };
}

/** 132 bits in base64url. */
const FINGERPRINT_LENGTH = 22;

/** Two responses with the same fingerprint differ at most by `generatedAt` (docs/spec/publishing.md#frozen-bytes). */
export function fingerprintOf({ status, headers, fingerprintText }: Built): string {
  const text = JSON.stringify([status, headers, fingerprintText]);
  return createHash("sha256").update(text).digest("base64url").slice(0, FINGERPRINT_LENGTH);
}

function successorOf(base: Built, next: Built, from: number): Successor {
  const edits = byteEdits(base.body, next.body);
  const headers: Record<string, string | null> = {};
  for (const name of new Set([...Object.keys(base.headers), ...Object.keys(next.headers)])) {
    const value = next.headers[name] ?? null;
    if (base.headers[name] !== (value ?? undefined)) headers[name] = value;
  }
  return {
    from,
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(edits.length === 0 ? {} : { edits }),
  };
}

/**
 * Returns the object of a response, and the states that it has. Late successors that do not fit into the metadata are
 * left out. `at`: the instant of the build (epoch ms). Throws `Failure` internal_error if the first does not fit.
 */
export function responseObject(
  { built, states, successors }: Future,
  at: number,
  position?: number,
): { readonly object: StoreObject; readonly states: State[] } {
  const response = { representation: representationOf(built), body: Buffer.from(built.body), at, position };
  for (let kept = successors.length; kept >= Math.min(1, successors.length); kept--) {
    const object = encodeResponse({ ...response, successors: successors.slice(0, kept) });
    if (metadataBytes(object) <= MAX_METADATA_BYTES) return { object, states: states.slice(0, kept + 1) };
  }
  throw new Failure("internal_error", `the next change does not fit into ${MAX_METADATA_BYTES} bytes of metadata`);
}

export function metadataBytes({ metadata }: StoreObject): number {
  return Object.entries(metadata).reduce((sum, [name, value]) => sum + name.length + value.length, 0);
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^{}[\],:"\s]+/g;

export function byteEdits(before: string, after: string): Edit[] {
  if (before === after) return [];
  const old = before.match(TOKEN) ?? [];
  const now = after.match(TOKEN) ?? [];
  const sameShape = old.length === now.length && old.join("") === before && now.join("") === after;
  return sameShape ? tokenEdits(old, now) : [middleEdit(before, after)];
}

function tokenEdits(old: readonly string[], now: readonly string[]): Edit[] {
  const edits: Edit[] = [];
  let offset = 0;
  for (const [index, token] of old.entries()) {
    const length = Buffer.byteLength(token);
    const text = now[index] ?? "";
    if (text !== token) edits.push({ offset, length, text });
    offset += length;
  }
  return edits;
}

function middleEdit(before: string, after: string): Edit {
  const limit = Math.min(before.length, after.length);
  let head = 0;
  while (head < limit && before[head] === after[head]) head++;
  if (isHighSurrogate(before, head - 1)) head--;
  let tail = 0;
  while (tail < limit - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  if (isHighSurrogate(before, before.length - tail - 1)) tail--;
  return {
    offset: Buffer.byteLength(before.slice(0, head)),
    length: Buffer.byteLength(before.slice(head, before.length - tail)),
    text: after.slice(head, after.length - tail),
  };
}

/** An edit must not split a surrogate pair, because half of one has no bytes. */
function isHighSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  return unit >= 0xd800 && unit <= 0xdbff;
}
