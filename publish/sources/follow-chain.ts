/** Passes over the chain, one after the other, beside the cycles that publish what they found. */
import { setTimeout as wait } from "node:timers/promises";
import type { Chain } from "../../src/chain/chain.ts";

export interface FollowOptions {
  /** Between the end of a pass and the next one's beginning, ms. */
  readonly interval: number;
  /** The longest that one pass may take, ms; what it has stored by then stays, and the next goes on from there. */
  readonly passLimit: number;
  /** Epoch ms. */
  now(): number;
  readonly signal: AbortSignal;
}

/** Runs until the signal; a pass under way is waited for. */
export async function followChain(chain: Chain, options: FollowOptions): Promise<void> {
  const { signal, interval, passLimit } = options;
  while (!signal.aborted) {
    const now = options.now();
    await chain.poll(now, now + passLimit);
    await wait(interval, undefined, { signal }).catch(() => {});
  }
}
