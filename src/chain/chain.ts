/** The settlement chain as the publisher uses it: `openChain` gives a real one, this file that of a publisher without. */
import type { Database } from "better-sqlite3";
import type { ChainState } from "./chain-state.ts";
import { disabledChain } from "./sync/verdict.ts";

export interface Chain {
  /** The chain's own SQLite file, for reads of events up to the view's safeThroughBlock; undefined without a chain. */
  readonly db: Database | undefined;
  /**
   * One pass, over the nodes in order until one is good. Never overlaps: a poll during another is that one. Does not
   * reject; `deadline` is in epoch ms.
   */
  poll(now: number, deadline: number): Promise<void>;
  /** Drops the view if another process has rewritten the chain's file, as `noonmark chain rewind` does: its events are gone. */
  noticeRewrite(): void;
  /** Synchronous and cheap: from memory; `now` in epoch ms ages the last good pass. */
  state(now: number): ChainState;
  /** Epoch ms after `now` at which `state` changes by time alone; undefined if it does not. */
  nextChange(now: number): number | undefined;
  /** Rises whenever `state` has changed by anything but time; `validUntil` alone is not counted. */
  changes(): number;
  /** True if the last poll came to a verdict: the nodes have nothing more to say now. */
  concluded(): boolean;
  /**
   * The hash of a block from the first node whose chain has the view's safe block; undefined if there is none, or no view. A
   * view that is newer than another publisher's is believed only after this. `now` in epoch ms.
   */
  blockHash(number: bigint, now: number): Promise<string | undefined>;
  /** For `noonmark status`: the last event of its passes, without secrets. */
  describe(): unknown;
  close(): void;
}

/** No deployment file or no RPC address. */
export function noChain(): Chain {
  const state = disabledChain();
  return {
    db: undefined,
    changes: () => 0,
    noticeRewrite() {},
    state: () => state,
    nextChange: () => undefined,
    poll: async () => {},
    concluded: () => true,
    blockHash: async () => undefined,
    describe: () => "none",
    close: () => {},
  };
}

/** Polls until one comes to a verdict, at most twice (a second pass confirms a fault), or until the deadline (epoch ms). */
export async function pollUntilConcluded(chain: Chain, now: () => number, deadline: number): Promise<void> {
  for (let polls = 0; polls < 2 && now() < deadline; polls++) {
    await chain.poll(now(), deadline);
    if (chain.concluded()) return;
  }
}
