/**
 * A log: facts in a fixed order, of which a follower derives something of its own. The ledger's facts of one kind and the
 * chain's events are logs. The ledger only grows; the chain is rewound. A position says how far a follower has come.
 */

export interface Position {
  /** Compact text that only the log itself reads; "" is the beginning. */
  readonly at: string;
  /** A checksum of the log's facts up to there, so that another log is noticed at the same place. */
  readonly checksum: string;
}

export const START: Position = { at: "", checksum: "" };

export interface Batch<Fact> {
  readonly facts: readonly Fact[];
  /** The position after these facts. */
  readonly through: Position;
}

export interface Log<Fact> {
  /** `after` is a position that the log still has. */
  hasMore(after: Position): boolean;
  /** The next facts, oldest first, about `limit` at most and at least one. `after` is a position that the log still has. */
  read(after: Position, limit: number): Batch<Fact>;
  /** The last position up to this one that the log still has: this one itself if nothing was taken back. */
  lastCommon(position: Position): Position;
}

/** A log without facts: what was followed of another one is taken back. */
export const EMPTY_LOG: Log<never> = {
  hasMore: () => false,
  read: () => ({ facts: [], through: START }),
  lastCommon: () => START,
};

export function isSamePosition(one: Position, other: Position): boolean {
  return one.at === other.at && one.checksum === other.checksum;
}
