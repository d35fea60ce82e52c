/** The chain of a deployment, read by the reader's own node up to one safe block after the other (docs/spec/log.md#replay). */
import { setTimeout as wait } from "node:timers/promises";
import { deploymentSchema } from "../../../src/chain/deployment.ts";
import { type OpenChain, openChain } from "../../../src/chain/open-chain.ts";
import { problemFailure } from "../../../src/chain/poll-event.ts";
import { readSync } from "../../../src/chain/store/sync-row.ts";
import { NoonmarkError } from "../../../src/client/noonmark-error.ts";
import { SAFE_DEPTH } from "../../../src/values/settlement-limits.ts";

export interface FollowOptions {
  /** The deployment in `/deployment.json`. */
  readonly deployment: unknown;
  /** Seconds; undefined if it is unknown. */
  readonly genesisTimestamp: number | undefined;
  /** Addresses of nodes in order of preference. */
  readonly rpcUrls: readonly string[];
  /** Path of a new file. */
  readonly statePath: string;
  readonly signal: AbortSignal;
  /** How long the nodes may be behind the deployment's (ms). */
  readonly lagMs: number;
}

export interface FollowedChain {
  readonly chain: OpenChain;
  /**
   * Reads the chain up to a safe block, which is never lower than the one before. Returns why it has no verdict there;
   * undefined if it has one.
   */
  follow(block: bigint): Promise<string | undefined>;
}

/** One poll ends after this time, so that a run can be stopped. The next one goes on where it ended. */
const POLL_MS = 10_000;
const PAUSE_MS = 500;
/** A century: the state is compared as of an instant, and does not get too old for it. */
const NEVER_MS = 100 * 365 * 86_400_000;
/** A second pass confirms a fault. */
const FEWEST_POLLS = 2;

/** Throws `NoonmarkError` log_malformed for a deployment of another form. */
export function followChain(options: FollowOptions): FollowedChain {
  const { genesisTimestamp: genesis, rpcUrls, statePath, signal, lagMs } = options;
  const { data: deployment } = deploymentSchema.safeParse(options.deployment);
  if (deployment === undefined) {
    throw new NoonmarkError(
      "log_malformed",
      "the deployment in /deployment.json has not the form of docs/spec/chain.md#deployment",
    );
  }
  let through = -1n;
  const chain = openChain({
    deployment,
    rpcUrls,
    statePath,
    grace: NEVER_MS,
    validity: NEVER_MS,
    now: Date.now,
    through: () => through,
    genesisTimestamp: genesis === undefined ? undefined : BigInt(genesis),
  });
  const failed = new Map<bigint, string>();
  let patience = lagMs;
  const hasVerdict = () => {
    const { core } = chain.state(Date.now());
    if (core.status === "unavailable") return core.reason === "indexer_mismatch";
    return core.view.chain.safeThroughBlock === through;
  };
  const whyNot = () => {
    const problem = chain.problem();
    return problem === undefined
      ? `no node has reached block ${through + SAFE_DEPTH}, which confirms block ${through}`
      : problemFailure(problem.event).message;
  };
  const read = async () => {
    for (let polls = 0; ; ) {
      signal.throwIfAborted();
      const before = readSync(chain.db).stored?.block;
      await chain.poll(Date.now(), Date.now() + POLL_MS);
      if (hasVerdict()) return undefined;
      polls = readSync(chain.db).stored?.block === before ? polls + 1 : 0;
      if (polls >= FEWEST_POLLS && (chain.problem() !== undefined || patience <= 0)) return whyNot();
      patience -= PAUSE_MS;
      await wait(PAUSE_MS, undefined, { signal });
    }
  };
  return {
    chain,
    async follow(block) {
      through = block;
      if (hasVerdict()) return undefined;
      const why = failed.get(block) ?? (await read());
      if (why !== undefined) failed.set(block, why);
      return why;
    },
  };
}
