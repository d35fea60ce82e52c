/**
 * A pass that contradicts what is stored, or itself. It does not count until a second pass agrees, from another node if
 * one responds (docs/spec/chain.md#reading).
 */
import type { FailedCheck } from "../check-name.ts";

export interface UnconfirmedFault {
  readonly failure: FailedCheck;
  /** The node's place in the list. */
  readonly node: number;
  /** The blocks whose logs show it; for a regression, the stored block. */
  readonly from: bigint;
  readonly through: bigint;
  /** The block from which the next pass reads again, so that a log that was lost can come back. */
  readonly repairFrom: bigint | undefined;
  /** Fingerprint of the pass's logs between two blocks inside what it read. */
  digest(from: bigint, through: bigint): string;
}

/** True if the second of two passes running says the same as the first. */
export function confirms(
  first: UnconfirmedFault | undefined,
  second: UnconfirmedFault,
  sameNodeWillDo: boolean,
): boolean {
  if (first === undefined || first.failure.check !== second.failure.check) return false;
  if (first.node === second.node && !sameNodeWillDo) return false;
  if (second.failure.check === "snapshot_regression") return true;
  if (second.from > first.from || second.through < first.through) return false;
  return first.digest(first.from, first.through) === second.digest(first.from, first.through);
}
