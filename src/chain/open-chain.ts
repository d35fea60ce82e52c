/** Opens the chain of a deployment file. Only one process should poll it: a second writer makes a pass start over. */
import type { Database } from "better-sqlite3";
import { formatTimestamp } from "../values/timestamp.ts";
import type { Chain } from "./chain.ts";
import type { ChainPoint } from "./chain-state.ts";
import { type PollEvent, plainEvent } from "./poll-event.ts";
import { blockCall, ContradictingResponse, parseBlock } from "./rpc/node-responses.ts";
import { RpcError } from "./rpc/rpc-error.ts";
import { RPC_LIMITS, rpcNode } from "./rpc/rpc-node.ts";
import { openChainStore } from "./store/open-store.ts";
import { type Problem, readSync } from "./store/sync-row.ts";
import { askingSince } from "./sync/health.ts";
import { type ChainOptions, Poller } from "./sync/poller.ts";
import { chainState, nextChangeOf } from "./sync/view-state.ts";

export interface OpenChain extends Chain {
  readonly db: Database;
  /** The problem that makes the views unavailable. Not for publication. */
  problem(): Problem | undefined;
}

/** Throws `Failure` (exit 74) if the file cannot be opened. */
export function openChain(options: ChainOptions): OpenChain {
  const { deployment, grace, validity, statePath } = options;
  const db = openChainStore(statePath, deployment);
  let last: PollEvent | undefined;
  const onEvent = (event: PollEvent) => {
    last = event;
    options.onEvent?.(event);
  };
  const { sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms)), random = Math.random } = options;
  const poller = new Poller(db, {
    ...options,
    onEvent,
    sleep,
    random,
    limits: options.limits ?? RPC_LIMITS,
    rpcQuorum: options.rpcQuorum ?? 1,
  });
  const times = (now: number) => ({ now, grace, validity, askingSince: askingSince(poller.health, now) });
  let running: Promise<void> | undefined;
  return {
    db,
    async poll(now, deadline) {
      running ??= poller
        .poll(now, deadline)
        // Only the file can fail here: a full disk, or another process's lock. The next poll tries again.
        .catch((error) => onEvent({ kind: "failed", node: statePath, message: String(error) }))
        .finally(() => {
          running = undefined;
        });
      await running;
    },
    state: (now) => chainState(poller.health.results, deployment, times(now)),
    nextChange: (now) => nextChangeOf(poller.health.results, times(now)),
    changes: () => poller.health.changes,
    concluded: () => poller.health.concluded,
    async blockHash(number, now) {
      const { core } = chainState(poller.health.results, deployment, times(now));
      if (core.status === "unavailable") return undefined;
      return blockHash(number, core.view.chain, now, { ...options, sleep, random });
    },
    problem: () => readSync(db).problem,
    describe() {
      const { problem } = readSync(db);
      if (problem !== undefined) return { ...plainEvent(problem.event), since: formatTimestamp(problem.since) };
      return last === undefined ? "no pass yet" : plainEvent(last);
    },
    close: () => db.close(),
  };
}

/** Time limit for asking all nodes for one block (ms). */
const BLOCK_LIMIT_MS = 5_000;

type Asking = ChainOptions & Required<Pick<ChainOptions, "sleep" | "random">>;

/** Trusts only a node whose chain has the view's safe block, because another node may follow another fork. */
async function blockHash(number: bigint, view: ChainPoint, now: number, options: Asking): Promise<string | undefined> {
  const { rpcUrls, limits = RPC_LIMITS, onRequest, sleep, random } = options;
  const began = performance.now();
  const passed = () => Math.floor(now + performance.now() - began);
  for (const address of rpcUrls) {
    const retry = { attempts: 2, deadline: now + BLOCK_LIMIT_MS, now: passed, sleep, random, repeatSilent: false };
    const numbers = [number, view.safeThroughBlock];
    try {
      const responses = await rpcNode(address, retry, limits, onRequest).batch(numbers.map(blockCall));
      const [asked, safe] = numbers.map((one, index) => parseBlock(responses[index], one).hash);
      if (safe === view.safeBlockHash) return asked;
    } catch (error) {
      if (!(error instanceof RpcError) && !(error instanceof ContradictingResponse)) throw error;
    }
  }
  return undefined;
}
