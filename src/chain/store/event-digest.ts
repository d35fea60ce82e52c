/** A fingerprint of events, to tell whether two reads of the same blocks gave the same. */
import { createHash } from "node:crypto";
import type { ChainEvent } from "../chain-state.ts";

/** Of the events from block `from` to block `through`, both included, in the order given. */
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
