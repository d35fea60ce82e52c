/**
 * An answer carries its own future (docs/spec/publishing.md#future): the instants at which it changes by time alone,
 * and what it becomes then. Bytes are UTF-8; instants are epoch milliseconds, each the first at which the state holds.
 */

/** Replaces `length` bytes at `offset` of the body as it was put by `text`. */
export interface Edit {
  readonly offset: number;
  readonly length: number;
  readonly text: string;
}

export interface Successor {
  /** The first millisecond at which this successor is the answer. */
  readonly from: number;
  /** Headers that differ from those of the answer as it was put; null takes one away. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** Against the body as it was put, not against the successor before; ascending, not overlapping. */
  readonly edits?: readonly Edit[];
  /** The constant answer at this key takes the place of body, status and headers. */
  readonly key?: string;
}

/** At most this many stand in one object's metadata. */
export const MAX_SUCCESSORS = 4;

/** The successor that holds at an instant, `undefined` while the answer as it was put still does. */
export function successorAt(successors: readonly Successor[], now: number): Successor | undefined {
  return successors.findLast((successor) => successor.from <= now);
}

/** The first instant after `now` at which the answer changes, `undefined` where it never does. */
export function validUntil(successors: readonly Successor[], now: number): number | undefined {
  return successors.find((successor) => successor.from > now)?.from;
}

/** The bytes that a successor's edits make of a body. */
export function applyEdits(body: Uint8Array, edits: readonly Edit[]): Uint8Array {
  const encoder = new TextEncoder();
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const { offset, length, text } of edits) {
    parts.push(body.subarray(at, offset), encoder.encode(text));
    at = offset + length;
  }
  parts.push(body.subarray(at));
  const result = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let filled = 0;
  for (const part of parts) {
    result.set(part, filled);
    filled += part.length;
  }
  return result;
}
