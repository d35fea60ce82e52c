/**
 * An answer with its future: what it is at an instant and what time alone makes of it afterwards. The builder is
 * asked again at each of its own instants, so that a successor is byte for byte what a living publisher puts then.
 */
import { createHash } from "node:crypto";
import { MAX_SUCCESSORS, type Successor } from "../../src/http/successor.ts";
import type { AnswerState } from "../../src/object-store/stored-answer.ts";
import type { Built } from "../../src/resources/built.ts";
import { byteEdits } from "./byte-edits.ts";

export interface Future {
  readonly built: Built;
  /** The answer itself first, then each of its successors. */
  readonly states: readonly AnswerState[];
  readonly successors: readonly Successor[];
}

export function futureOf(build: (at: number) => Built, at: number): Future {
  const built = build(at);
  const states: AnswerState[] = [{ from: at, identity: identityOf(built) }];
  const successors: Successor[] = [];
  let last = built;
  while (last.nextChangeAt !== undefined && successors.length < MAX_SUCCESSORS) {
    const from = last.nextChangeAt;
    if (last.successorKey !== undefined) {
      states.push({ from, identity: last.successorKey });
      successors.push({ from, key: last.successorKey });
      break;
    }
    const next = last.successor ?? build(from);
    states.push({ from, identity: identityOf(next) });
    successors.push(successorOf(built, next, from));
    last = next;
  }
  return { built, states, successors };
}

const identities = new WeakMap<Built, string>();

/**
 * The hash by which a change is judged: never the store's own tags (docs/spec/publishing.md#frozen-bytes). Made once an
 * answer.
 */
export function identityOf(built: Built): string {
  let identity = identities.get(built);
  if (identity === undefined) {
    const text = JSON.stringify([built.status, built.headers, built.identity]);
    identity = createHash("sha256").update(text).digest("base64url");
    identities.set(built, identity);
  }
  return identity;
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
