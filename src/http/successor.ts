/**
 * A response's successors say when it expires and what it becomes (docs/spec/publishing.md#future). Bytes are UTF-8.
 * Instants are epoch milliseconds.
 */

/** Replaces `length` bytes at `offset` of the stored body with `text`. */
export interface Edit {
  readonly offset: number;
  readonly length: number;
  readonly text: string;
}

export interface Successor {
  /** The first millisecond at which this successor holds. */
  readonly from: number;
  /** Headers that differ from those of the stored response; null removes one. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** Relative to the stored body, not to the previous successor; ascending, not overlapping. */
  readonly edits?: readonly Edit[];
  /** The constant response at this key replaces body, status and headers. */
  readonly key?: string;
}

/** The most successors that fit in one object's metadata. */
export const MAX_SUCCESSORS = 4;

/** Returns the successor that holds at `now`; `undefined` while the stored response itself holds. */
export function successorAt(successors: readonly Successor[], now: number): Successor | undefined {
  return successors.findLast((successor) => successor.from <= now);
}

/** Returns the first instant after `now` at which the response changes; `undefined` if it never does. */
export function validUntil(successors: readonly Successor[], now: number): number | undefined {
  return successors.find((successor) => successor.from > now)?.from;
}

/** Returns the body after applying a successor's edits. */
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
