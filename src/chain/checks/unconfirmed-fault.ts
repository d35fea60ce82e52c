/**
 * A pass that contradicts what is stored, or itself. It is not believed until a second pass agrees, from another node
 * where one answers (design 3, Reading 5 and 6).
 */
import { createHash } from "node:crypto";
import type { ChainEvent } from "../view/chain-state.ts";
import type { FailedCheck } from "./checks.ts";

export interface Doubt {
  readonly failure: FailedCheck;
  /** The node's place in the list. */
  readonly node: number;
  /** The blocks whose logs show it; for a regression, the stored block. */
  readonly from: bigint;
  readonly through: bigint;
  /** Where the next pass begins to read, so that a log lost earlier can come back. */
  readonly repairFrom: bigint | undefined;
  /** Fingerprint of the pass's logs between two blocks inside what it read. */
  digest(from: bigint, through: bigint): string;
}

/** Whether the second of two passes running says the same as the first. */
export function confirms(first: Doubt | undefined, second: Doubt, sameNodeWillDo: boolean): boolean {
  if (first === undefined || first.failure.check !== second.failure.check) return false;
  if (first.node === second.node && !sameNodeWillDo) return false;
  if (second.failure.check === "snapshot_regression") return true;
  if (second.from > first.from || second.through < first.through) return false;
  return first.digest(first.from, first.through) === second.digest(first.from, first.through);
}

export function digestOf(events: readonly ChainEvent[], from: bigint, through: bigint): string {
  const hash = createHash("sha256");
  for (const event of events) {
    if (event.blockNumber < from || event.blockNumber > through) continue;
    // Not the timestamp: it is not in every node's logs.
    const { blockHash, transactionHash, logIndex, contractAddress, eventName } = event;
    hash.update(JSON.stringify([blockHash, transactionHash, logIndex, contractAddress, eventName, event.arguments]));
  }
  return hash.digest("hex");
}
