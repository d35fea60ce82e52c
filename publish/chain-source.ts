/** The chain as the publisher uses it; `src/chain` gives the real one, this file the one of a publisher without. */
import type { Database } from "better-sqlite3";
import type { ChainState } from "../src/chain/chain-state.ts";

export interface ChainSource {
  /** The chain's own SQLite file; undefined without a chain. */
  readonly db: Database | undefined;
  /** Rises whenever `state` may have changed by anything but time. */
  version(): number;
  /** Synchronous and cheap; `now` in epoch ms ages the last good pass. */
  state(now: number): ChainState;
  /** One pass over the chain, ending by itself at the deadline (epoch ms); never two at once. Does not throw. */
  poll(now: number, deadline: number): Promise<void>;
  close(): void;
}

const DISABLED = { status: "unavailable", reason: "indexer_disabled" } as const;

/** No deployment file or no RPC address. */
export const noChain: ChainSource = {
  db: undefined,
  version: () => 0,
  state: () => ({
    core: DISABLED,
    economy: DISABLED,
    safeCore: undefined,
    wordUntil: Number.POSITIVE_INFINITY,
    binding: undefined,
  }),
  poll: async () => {},
  close: () => {},
};
