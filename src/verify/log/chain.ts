/**
 * The chain of a deployment, read by the reader's own node up to one safe block after the other
 * (docs/spec/log.md#replay), and its settled batches against the rounds of the log (docs/spec/log.md#reconciliation).
 */
import { setTimeout as wait } from "node:timers/promises";
import type { ChainEvent } from "../../chain/chain-state.ts";
import { deploymentSchema } from "../../chain/deployment.ts";
import { type OpenChain, openChain } from "../../chain/open-chain.ts";
import { problemFailure } from "../../chain/poll-event.ts";
import { type EventName, eventSource, integerArgument } from "../../chain/store/read-events.ts";
import { readSync } from "../../chain/store/sync-row.ts";
import { NoonmarkError } from "../../client/noonmark-error.ts";
import { iterateRounds } from "../../ledger/read/rounds.ts";
import type { ReadOnlyDatabase } from "../../sqlite/statement.ts";
import { SAFE_DEPTH } from "../../values/settlement-limits.ts";
import { START } from "../../values/source.ts";

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
   * Reads the chain up to a safe block, which never falls. Returns why the chain's state there is unknown; undefined
   * if it is known.
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

export interface Reconciled {
  /** Count of settled batches. */
  readonly batches: number;
  /** Count of the batches with work in rounds that the log lacks. */
  readonly unknown: number;
  /** How batches differ from the log. */
  readonly differences: readonly string[];
}

const EVENTS: readonly EventName[] = [
  ["core", "WorkRecorded"],
  ["core", "BatchSettled"],
];
const READ_EVENTS = 1_000;

export interface Settlements {
  readonly ledger: ReadOnlyDatabase;
  /** The row id of the installation; undefined if the log has none of its facts. */
  readonly installation: number | undefined;
  /** The file of the chain. */
  readonly events: ReadOnlyDatabase;
  readonly safeBlock: bigint;
}

/** Reads the chain's events and the rounds once, in order, so its memory does not grow with the history. */
export function reconcile({ ledger, installation, events, safeBlock }: Settlements): Reconciled {
  const source = eventSource(events, EVENTS, safeBlock);
  /** The recorded work of rounds that are not settled yet. */
  const recorded = new Map<bigint, bigint>();
  const differences: string[] = [];
  let [batches, unknown, workBefore] = [0, 0, 0n];
  for (let position = START; source.hasMore(position); ) {
    const { facts, through } = source.read(position, READ_EVENTS);
    position = through;
    for (const event of facts) {
      if (event.eventName === "WorkRecorded") {
        const round = integerArgument(event, "round");
        recorded.set(round, (recorded.get(round) ?? 0n) + integerArgument(event, "workUnits"));
        continue;
      }
      const cumulativeWork = integerArgument(event, "cumulativeWork");
      const [previous, last] = [
        integerArgument(event, "previousSettledThroughRound"),
        integerArgument(event, "settledThroughRound"),
      ];
      const closed = installation === undefined ? [] : [...iterateRounds(ledger, installation, previous, last)];
      const found = compareBatch(event, { closed, recorded, work: cumulativeWork - workBefore, previous, last });
      for (const round of recorded.keys()) if (round <= last) recorded.delete(round);
      workBefore = cumulativeWork;
      batches++;
      if (found === "unknown") unknown++;
      else differences.push(...found);
    }
  }
  return { batches, unknown, differences };
}

interface Batch {
  /** Its rounds in the log. */
  readonly closed: readonly { readonly roundId: bigint; readonly workUnits: bigint }[];
  readonly recorded: ReadonlyMap<bigint, bigint>;
  readonly work: bigint;
  readonly previous: bigint;
  readonly last: bigint;
}

function compareBatch(event: ChainEvent, { closed, recorded, work, previous, last }: Batch): string[] | "unknown" {
  const name = `rounds ${previous + 1n} to ${last}, settled in block ${event.blockNumber}`;
  const differences = closed.flatMap(({ roundId, workUnits }) => {
    const onChain = recorded.get(roundId) ?? workUnits;
    const says = `round ${roundId} has ${workUnits} work units in the log, and ${onChain} are recorded on the chain`;
    return onChain === workUnits ? [] : [says];
  });
  const sum = closed.reduce((total, { workUnits }) => total + workUnits, 0n);
  const active = BigInt(closed.filter(({ workUnits }) => workUnits > 0n).length);
  const settled = integerArgument(event, "activeRoundCount");
  // A round that the log lacks may be one without work.
  const isWhole = BigInt(closed.length) === last - previous;
  const differs = (inLog: bigint, onChain: bigint) => (isWhole ? inLog !== onChain : inLog > onChain);
  if (differs(sum, work)) differences.push(`${name}: the log has ${sum} work units, and the batch ${work}`);
  if (differs(active, settled)) {
    differences.push(`${name}: the log has ${active} rounds with work, and the batch ${settled}`);
  }
  return differences.length === 0 && (sum < work || active < settled) ? "unknown" : differences;
}
