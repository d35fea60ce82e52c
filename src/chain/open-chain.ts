/**
 * The chain as the publisher holds it: `poll` makes a pass whenever the publisher wants one, `state` says what is known
 * without asking anybody. One process polls one file; a second writer makes a pass fail and start over.
 */
import type { Database } from "better-sqlite3";
import type { ChainOptions } from "./chain-options.ts";
import { chainState } from "./checks/verdict.ts";
import { RPC_LIMITS } from "./rpc/rpc-node.ts";
import { Poller } from "./sync/poller.ts";
import { openChainStore, type Problem, readSync } from "./sync/store.ts";
import type { ChainState } from "./view/chain-state.ts";

export interface Chain {
  /**
   * One pass, over the nodes in order until one is good. Never overlaps: a poll during another is that one. Does not
   * reject; `deadline` is in epoch ms.
   */
  poll(now: number, deadline: number): Promise<void>;
  /** Synchronous and cheap: from memory; `now` in epoch ms ages the last good pass. */
  state(now: number): ChainState;
  /** Epoch ms after `now` at which `state` changes by time alone; undefined where it does not. */
  nextChange(now: number): number | undefined;
  /** Rises whenever a pass has changed what `state` says, `wordUntil` alone not counted. */
  moved(): number;
  /** Whether the last poll came to a verdict: nothing more is to be had from the nodes now. */
  settled(): boolean;
  /** What keeps the views from being good, for the operator alone. */
  problem(): Problem | undefined;
  /** The chain's file, for reads of events up to the view's safeThroughBlock. */
  readonly db: Database;
  close(): void;
}

/** Throws `Failure` (exit 74) where the file cannot be opened. */
export function openChain(options: ChainOptions): Chain {
  const db = openChainStore(options.statePath, options.deployment);
  const poller = new Poller(db, {
    ...options,
    onEvent: options.onEvent ?? (() => undefined),
    sleep: options.sleep ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms))),
    random: options.random ?? Math.random,
    limits: options.limits ?? RPC_LIMITS,
  });
  const { standing } = poller;
  let running: Promise<void> | undefined;
  return {
    db,
    async poll(now, deadline) {
      running ??= poller
        .poll(now, deadline)
        // Only the file can fail here: a full disk, or somebody else's lock. The next poll tries again.
        .catch((error) => options.onEvent?.({ type: "failed", node: options.statePath, message: String(error) }))
        .finally(() => {
          running = undefined;
        });
      await running;
    },
    state: (now) => chainState(standing.verdict, options.deployment, { now, grace: options.grace, word: options.word }),
    nextChange(now) {
      const { lastGoodPassAt } = standing.verdict;
      const silentAt = (lastGoodPassAt ?? -Infinity) + options.grace;
      return silentAt > now ? silentAt : undefined;
    },
    moved: () => standing.moved,
    settled: () => poller.settled,
    problem: () => readSync(db).problem,
    close: () => db.close(),
  };
}
