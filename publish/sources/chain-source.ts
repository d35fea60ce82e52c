/** The chain as the publisher uses it; `openChain` gives the real one, this file the one of a publisher without. */
import type { Database } from "better-sqlite3";
import { disabledChain } from "../../src/chain/checks/verdict.ts";
import type { ChainState } from "../../src/chain/view/chain-state.ts";

export interface ChainSource {
  /** The chain's own SQLite file; undefined without a chain. */
  readonly db: Database | undefined;
  /** Rises whenever `state` has changed by anything but time. */
  moved(): number;
  /** Synchronous and cheap; `now` in epoch ms ages the last good pass. */
  state(now: number): ChainState;
  /** Epoch ms after `now` at which `state` changes by time alone. */
  nextChange(now: number): number | undefined;
  /** One pass over the chain, ending by itself at the deadline (epoch ms); never two at once. */
  poll(now: number, deadline: number): Promise<void>;
  /** Whether the last poll reached the end of its pass. */
  settled(): boolean;
  /** For `noonmark status`: the last news of its passes, without secrets. */
  describe(): unknown;
  close(): void;
}

/** No deployment file or no RPC address. */
export function noChain(): ChainSource {
  const state = disabledChain();
  return {
    db: undefined,
    moved: () => 0,
    state: () => state,
    nextChange: () => undefined,
    poll: async () => {},
    settled: () => true,
    describe: () => "none",
    close: () => {},
  };
}

/** Passes until one has come to its end, at most twice (a doubt is confirmed by a second), or the deadline. */
export async function pollUntilSettled(chain: ChainSource, now: () => number, deadline: number): Promise<void> {
  for (let passes = 0; passes < 2 && now() < deadline; passes++) {
    await chain.poll(now(), deadline);
    if (chain.settled()) return;
  }
}
