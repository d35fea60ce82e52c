/** The publisher's interface to the settlement chain. `openChain` opens a real one; `noChain` replaces it. */
import type { Database } from "better-sqlite3";
import type { ChainState } from "./chain-state.ts";
import { disabledChain } from "./sync/view-state.ts";

export interface Chain {
  /** The chain's SQLite file, for reading events up to the view's safeThroughBlock; undefined without a chain. */
  readonly db: Database | undefined;
  /**
   * Runs passes over the nodes in order until one is good. Polls never overlap: a call during a poll waits for that
   * poll. Never rejects. `now` and `deadline` are epoch ms.
   */
  poll(now: number, deadline: number): Promise<void>;
  /** Returns the state from memory; `now` (epoch ms) determines the age of the last good pass. */
  state(now: number): ChainState;
  /** Returns the epoch ms after `now` at which `state` changes without new input; undefined if it does not. */
  nextChange(now: number): number | undefined;
  /** A number that rises with each change of `state`, except changes with time and of `validUntil`. */
  changes(): number;
  /** True if the last poll reached a result, so that another poll would learn nothing more. */
  concluded(): boolean;
  /**
   * Returns the hash of a block from the first node whose chain has the view's safe block; undefined if there is none,
   * or no view. A publisher trusts another publisher's newer view only after this check. `now` is epoch ms.
   */
  blockHash(number: bigint, now: number): Promise<string | undefined>;
  /** The last event of the passes, without secrets, for `noonmark status`. */
  describe(): unknown;
  close(): void;
}

/** Returns the chain of a publisher without a deployment file or an RPC address. */
export function noChain(): Chain {
  const state = disabledChain();
  return {
    db: undefined,
    changes: () => 0,
    state: () => state,
    nextChange: () => undefined,
    poll: async () => {},
    concluded: () => true,
    blockHash: async () => undefined,
    describe: () => "none",
    close: () => {},
  };
}

/** Polls until a result or the deadline (epoch ms), at most twice: a second pass confirms a fault. */
export async function pollUntilConcluded(chain: Chain, now: () => number, deadline: number): Promise<void> {
  for (let polls = 0; polls < 2 && now() < deadline; polls++) {
    await chain.poll(now(), deadline);
    if (chain.concluded()) return;
  }
}
