/**
 * A log has facts in a fixed order, from which followers derive data. The ledger's facts of one kind and the chain's
 * events are logs. The ledger only grows; the chain may be rewound. A position records a follower's progress.
 */

export interface Position {
  /** Compact text that only the log itself reads; "" is the beginning. */
  readonly at: string;
  /** A checksum of the log's facts up to this position, which detects a different log. */
  readonly checksum: string;
}

export const START: Position = { at: "", checksum: "" };

interface Batch<Fact> {
  readonly facts: readonly Fact[];
  /** Position after these facts. */
  readonly through: Position;
}

export interface Log<Fact> {
  /** `after` is a position that the log still has. */
  hasMore(after: Position): boolean;
  /** Returns the next facts, oldest first: at least one, about `limit` at most. The log must still have `after`. */
  read(after: Position, limit: number): Batch<Fact>;
  /** Returns the last position up to this one that the log still has: `position` itself if nothing was rewound. */
  lastCommon(position: Position): Position;
}

/** A log without facts. A follower that switches to it drops everything it derived. */
export const EMPTY_LOG: Log<never> = {
  hasMore: () => false,
  read: () => ({ facts: [], through: START }),
  lastCommon: () => START,
};

export function isSamePosition(one: Position, other: Position): boolean {
  return one.at === other.at && one.checksum === other.checksum;
}

/** Returns the origin of the published log that keys of this name sign, the first line of its checkpoints. */
export function originOf(name: string): string {
  return `${name}/log`;
}
