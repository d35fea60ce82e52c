/**
 * A source has facts in a fixed order, from which followers derive data: the ledger's facts of one kind, or the chain's
 * events. The ledger only grows; the chain may be rewound. A position records a follower's progress.
 */

export interface Position {
  /** Compact text that only the source itself reads; "" is the beginning. */
  readonly at: string;
  /** A checksum of the source's facts up to this position, which detects a different source. */
  readonly checksum: string;
}

export const START: Position = { at: "", checksum: "" };

interface Batch<Fact> {
  readonly facts: readonly Fact[];
  /** Position after these facts. */
  readonly through: Position;
}

export interface Source<Fact> {
  /** `after` is a position that the source still has. */
  hasMore(after: Position): boolean;
  /** Returns the next facts, oldest first: at least one, about `limit` at most. The source must still have `after`. */
  read(after: Position, limit: number): Batch<Fact>;
  /** Returns the last position up to this one that the source still has: `position` itself if nothing was rewound. */
  lastCommon(position: Position): Position;
}

/** A source without facts. A follower that switches to it drops everything it derived. */
export const EMPTY_SOURCE: Source<never> = {
  hasMore: () => false,
  read: () => ({ facts: [], through: START }),
  lastCommon: () => START,
};

export function isSamePosition(one: Position, other: Position): boolean {
  return one.at === other.at && one.checksum === other.checksum;
}
