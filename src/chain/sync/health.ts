/**
 * The health of the chain after all passes so far (docs/spec/chain.md#reading). Each function returns the next health
 * from the previous one, without a clock, a file or a node. All instants are epoch ms.
 */

import type { Deployment } from "../deployment.ts";
import type { FailedCheck, PollEvent, ProblemEvent } from "../poll-event.ts";
import { confirms, type UnconfirmedFault } from "./event-checks.ts";
import type { BrokenPass, PassOutcome } from "./pass-types.ts";
import type { PassResults } from "./view-state.ts";

export interface ChainHealth {
  readonly rules: HealthRules;
  readonly results: PassResults;
  /** Rises with each change of the results, except changes with time and of the safe block's height. */
  readonly changes: number;
  /** True if the last attempt ran out of time and stored no range. It may only be slow; a second one has failed. */
  readonly hasRunOutOfTime: boolean;
  /** A fault that one pass found and no second pass has confirmed. */
  readonly fault: UnconfirmedFault | undefined;
  /** The first block to read again after two passes agreed on a funding above the cursor, until a pass finds none. */
  readonly fundingRepair: bigint | undefined;
  /** Since when the nodes have been asked continuously; undefined before the first attempt. */
  readonly askingSince: number | undefined;
  /** The end of the last attempt, or the deadline of a running one. */
  readonly askedUntil: number;
  /** True if this poll has reached a result. */
  readonly concluded: boolean;
  /** True if this poll asks no further node. */
  readonly isOver: boolean;
  /** A problem of this poll that no later node cleared. */
  readonly problem: ProblemEvent | undefined;
  /** Events of the last step, for the operator. */
  readonly events: readonly Exclude<PollEvent, { readonly kind: "range" }>[];
}

export interface HealthRules {
  readonly deployment: Deployment;
  /** Milliseconds without a good pass before the views are unavailable. */
  readonly grace: number;
  /** True if a quorum is required: another chain id then counts only if the last node reports it. */
  readonly isQuorum: boolean;
}

/** The outcome of a pass over one node. */
export interface NodeOutcome {
  readonly outcome: PassOutcome | BrokenPass;
  /** The node's address without secrets. */
  readonly node: string;
  /** True if no other node responds, so that a second pass over this node confirms its first. */
  readonly isOnlyResponding: boolean;
  /** True if this poll has no node left to ask. */
  readonly isLast: boolean;
}

/** After a break of this many graces the publisher was asleep. A shorter break counts as silence of the nodes. */
const LONGEST_BREAK_IN_GRACES = 4;

export function healthOf(results: PassResults, rules: HealthRules): ChainHealth {
  return {
    rules,
    results,
    changes: 0,
    hasRunOutOfTime: false,
    fault: undefined,
    fundingRepair: undefined,
    askingSince: undefined,
    askedUntil: -Infinity,
    concluded: false,
    isOver: false,
    problem: undefined,
    events: [],
  };
}

/** Begins a poll. The grace of a publisher that just started or was asleep counts from here. */
export function pollBegun(health: ChainHealth, now: number, deadline: number): ChainHealth {
  const poll = { ...health, concluded: false, isOver: false, problem: undefined, events: [], askedUntil: deadline };
  // Update a view that was unavailable only because no node was asked.
  return askingSince(health, now) === undefined ? changed({ ...poll, askingSince: now }, {}) : poll;
}

/** Ends a poll. After an overrun as long as a sleep, the next poll restarts the grace. */
export function pollEnded(health: ChainHealth, now: number): ChainHealth {
  return now - health.askedUntil < longestBreak(health) ? { ...health, askedUntil: now } : health;
}

/** Returns since when the nodes have been asked continuously; undefined if none is being asked. */
export function askingSince(health: ChainHealth, now: number): number | undefined {
  return now - health.askedUntil >= longestBreak(health) ? undefined : health.askingSince;
}

/** Records a safe block that a node reported. */
export function withSafeBlock(health: ChainHealth, safe: bigint): ChainHealth {
  const { results } = health;
  const isHigher = results.safe === undefined || safe > results.safe;
  return isHigher ? { ...health, results: { ...results, safe } } : health;
}

/** Records a stored range: the last attempt has not failed after all. */
export function withStoredRange(health: ChainHealth): ChainHealth {
  const next = { ...health, hasRunOutOfTime: false };
  return health.results.failed ? changed(next, { failed: false }) : next;
}

/** Returns true if no pass was good for a whole grace. */
export function isSilent({ results, rules }: ChainHealth, now: number): boolean {
  return results.lastGoodPassAt === undefined || now - results.lastGoodPassAt >= rules.grace;
}

/** Returns true if everything published comes from a good pass, so that an unchanged safe block need not be read. */
export function isGood({ results, rules }: ChainHealth): boolean {
  const { snapshot, coreMismatch, economyMismatch, safe } = results;
  const { economy } = rules.deployment;
  const isWhole =
    economy === undefined || snapshot?.economy !== undefined || (safe ?? 0n) < BigInt(economy.deploymentBlock);
  return snapshot !== undefined && coreMismatch === undefined && economyMismatch === undefined && isWhole;
}

/** Returns the block from which the next pass reads the events again. */
export function repairFrom({ fault, fundingRepair }: ChainHealth): bigint | undefined {
  return fault?.repairFrom ?? fundingRepair;
}

/** Returns the health after a pass. */
export function step(before: ChainHealth, passed: NodeOutcome, now: number): ChainHealth {
  const { outcome, node } = passed;
  const health: ChainHealth = { ...before, events: [] };
  switch (outcome.kind) {
    case "broken": {
      const next = outcome.isOutOfTime ? ranOutOfTime(health) : failed(health);
      return outcome.message === undefined ? next : reported(next, { kind: "failed", node, message: outcome.message });
    }
    case "lagging":
      return failing(health, node, `its newest block is ${outcome.block}, behind the stored block`);
    case "stalled":
      // The poller names the node after the poll, until its tip moves.
      return failed(health);
    case "no_quorum":
    case "events_left_out":
      return failing(health, node, outcome.message);
    case "incomplete":
      return reported(failed(health, outcome.economyMismatch), { kind: "failed", node, message: outcome.message });
    case "fault":
      return faulty(health, outcome.fault, passed);
    case "mismatch":
      return mismatched(health, node, outcome.failure);
    case "other_chain":
      return health.rules.isQuorum && !passed.isLast
        ? failing(health, node, outcome.failure.detail)
        : mismatched(health, node, outcome.failure, outcome.safe);
    case "not_yet_safe":
      // A node that is still syncing looks the same.
      return { ...nothingYet(health), concluded: true, isOver: passed.isLast };
    case "unchanged": {
      const tip = health.results.snapshot?.core.chain.indexedThroughBlock ?? 0n;
      const good = { ...goodPass(health, now), fault: undefined, problem: undefined };
      return { ...good, events: [{ kind: "good", node, tip }] };
    }
    case "read":
      return read(health, outcome, node, now);
  }
}

function read(
  health: ChainHealth,
  { economy, snapshot }: PassOutcome & { kind: "read" },
  node: string,
  now: number,
): ChainHealth {
  const failure = economy.kind === "mismatch" ? economy.failure : undefined;
  const fundingRepair = economy.kind === "mismatch" ? economy.repairFrom : undefined;
  const found = { snapshot, economyMismatch: failure, synced: true };
  const good = { ...goodPass({ ...health, fault: undefined, fundingRepair }, now, found), problem: undefined };
  const next =
    failure !== undefined
      ? reported(good, { kind: "mismatch", node, ...failure })
      : economy.kind === "invalid"
        ? reported(good, { kind: "failed", node, message: economy.detail })
        : good;
  return { ...next, events: [...next.events, { kind: "good", node, tip: snapshot.core.chain.indexedThroughBlock }] };
}

/** `found` has the values that the pass read; undefined if the safe block is unchanged. */
function goodPass(health: ChainHealth, now: number, found?: Partial<PassResults>): ChainHealth {
  const isChange = found !== undefined || health.results.failed || isSilent(health, now);
  const results = { ...health.results, lastGoodPassAt: now };
  const next = { ...health, hasRunOutOfTime: false, results, concluded: true, isOver: true };
  return isChange ? changed(next, { ...found, failed: false, coreMismatch: undefined }) : next;
}

/** Turns a fault into a mismatch if a second pass confirms it. */
function faulty(health: ChainHealth, fault: UnconfirmedFault, { node, isOnlyResponding }: NodeOutcome): ChainHealth {
  const isConfirmed = confirms(health.fault, fault, isOnlyResponding);
  const next = { ...health, fault };
  if (isConfirmed) return mismatched(next, node, fault.failure);
  return reported(failed(next), { kind: "unconfirmed_fault", node, ...fault.failure });
}

/** `otherSafe` is the node's safe block if the node is on another chain. */
function mismatched(health: ChainHealth, node: string, failure: FailedCheck, otherSafe?: bigint): ChainHealth {
  const coreMismatch = { failure, otherSafe };
  const next = changed(health, { coreMismatch, snapshot: undefined, lastGoodPassAt: undefined, failed: true });
  return reported({ ...next, concluded: true, isOver: true }, { kind: "mismatch", node, ...failure });
}

function failing(health: ChainHealth, node: string, message: string): ChainHealth {
  return reported(failed(health), { kind: "failed", node, message });
}

/** `economyMismatch` is a failed check of the economy, known although the pass has no other result. */
function failed(health: ChainHealth, economyMismatch?: FailedCheck): ChainHealth {
  const { results } = health;
  if (economyMismatch !== undefined && economyMismatch.check !== results.economyMismatch?.check)
    return changed(health, { failed: true, economyMismatch });
  return results.failed ? health : changed(health, { failed: true });
}

function ranOutOfTime(health: ChainHealth): ChainHealth {
  return { ...(health.hasRunOutOfTime ? failed(health) : health), hasRunOutOfTime: true };
}

/** Records that a node has nothing to read yet. */
function nothingYet(health: ChainHealth): ChainHealth {
  const { failed, coreMismatch } = health.results;
  return failed || coreMismatch !== undefined ? changed(health, { failed: false, coreMismatch: undefined }) : health;
}

function reported(health: ChainHealth, problem: ProblemEvent): ChainHealth {
  return { ...health, problem, events: [...health.events, problem] };
}

function changed(health: ChainHealth, found: Partial<PassResults>): ChainHealth {
  return { ...health, results: { ...health.results, ...found }, changes: health.changes + 1 };
}

function longestBreak({ rules }: ChainHealth): number {
  return LONGEST_BREAK_IN_GRACES * rules.grace;
}
