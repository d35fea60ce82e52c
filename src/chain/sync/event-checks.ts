/**
 * The checks of the chain that need only events (docs/spec/chain.md#checks), and faults: contradictions between a pass
 * and the stored data, or within the pass. A fault counts once a second pass confirms it, from another node if one
 * responds (docs/spec/chain.md#reading).
 */
import type { Database } from "better-sqlite3";
import { MAX_ACTIVE_ROUNDS } from "../../values/settlement-limits.ts";
import type { ChainEvent } from "../chain-state.ts";
import type { Deployment } from "../deployment.ts";
import type { FailedCheck } from "../poll-event.ts";
import { digestOf, integerArgument, settlementEventBefore } from "../store/read-events.ts";
import type { RangeEvents } from "./events.ts";

/** The totals after a settlement; all zero before the first. */
export interface Frontier {
  readonly settledThroughRound: bigint;
  readonly cumulativeWork: bigint;
  readonly blockHeight: bigint;
}

const NOTHING_SETTLED: Frontier = { settledThroughRound: 0n, cumulativeWork: 0n, blockHeight: 0n };

function isSettlement(event: ChainEvent): boolean {
  return event.contractKind === "core" && event.eventName === "BatchSettled";
}

function frontierOf(settlement: ChainEvent): Frontier {
  return {
    settledThroughRound: integerArgument(settlement, "settledThroughRound"),
    cumulativeWork: integerArgument(settlement, "cumulativeWork"),
    blockHeight: integerArgument(settlement, "blockHeight"),
  };
}

export interface EventFault {
  readonly failure: FailedCheck;
  /** The block whose event, or missing event, shows the fault. */
  readonly block: bigint;
}

/** Returns the first check that a range's events fail; `before` has the totals after the previous settlement. */
export function failedEventCheck(deployment: Deployment, range: RangeEvents, before: Frontier): EventFault | undefined {
  return brokenSettlement(range.events, before) ?? missingDeployment(deployment, range);
}

/** Returns the first block whose events are read. */
export function firstBlock({ deploymentBlock, economy }: Deployment): bigint {
  return BigInt(Math.min(deploymentBlock, economy?.deploymentBlock ?? deploymentBlock));
}

/** Returns the totals after the newest stored settlement below a block. */
export function frontierBefore(db: Database, block: bigint): Frontier {
  const settlement = settlementEventBefore(db, block);
  return settlement === undefined ? NOTHING_SETTLED : frontierOf(settlement);
}

/** Returns the totals after the last settlement of a range. */
export function frontierAfter(events: readonly ChainEvent[], before: Frontier): Frontier {
  const last = events.findLast(isSettlement);
  return last === undefined ? before : frontierOf(last);
}

function brokenSettlement(events: readonly ChainEvent[], before: Frontier): EventFault | undefined {
  let frontier = before;
  for (const event of events) {
    if (!isSettlement(event)) continue;
    const detail = discontinuity(frontier, event);
    if (detail !== undefined) return { failure: { check: "settlement_continuity", detail }, block: event.blockNumber };
    frontier = frontierOf(event);
  }
  return undefined;
}

function missingDeployment(deployment: Deployment, range: RangeEvents): EventFault | undefined {
  const block = BigInt(deployment.deploymentBlock);
  if (block < range.from || block > range.to) return undefined;
  const { core, proxyAdmin, streamId } = deployment;
  const expected = new Map(Object.entries({ core, proxyAdmin, streamId }));
  const deployed = range.events.some(
    (event) =>
      event.contractKind === "factory" &&
      event.blockNumber === block &&
      event.arguments.every(({ name, value }) => (expected.get(name) ?? value) === value),
  );
  if (deployed) return undefined;
  const detail = `the factory emitted no CoreDeployed of this Core in block ${block}`;
  return { failure: { check: "core_deployed", detail }, block };
}

/** Returns how a batch contradicts `before`, as a text for the operator; undefined if it continues it. */
function discontinuity(before: Frontier, settlement: ChainEvent): string | undefined {
  const previous = integerArgument(settlement, "previousSettledThroughRound");
  const active = integerArgument(settlement, "activeRoundCount");
  const after = frontierOf(settlement);
  const where = `the batch in block ${settlement.blockNumber}`;
  if (previous !== before.settledThroughRound) {
    return `${where} continues round ${previous}, not ${before.settledThroughRound}`;
  }
  if (after.settledThroughRound <= previous) return `${where} settles no round`;
  if (after.cumulativeWork < before.cumulativeWork) return `${where} has less cumulative work than the one before`;
  if (after.blockHeight < before.blockHeight) return `${where} has a lower block height than the one before`;
  if (active > MAX_ACTIVE_ROUNDS) return `${where} has ${active} active rounds`;
  return undefined;
}

// Faults.

export interface UnconfirmedFault {
  readonly failure: FailedCheck;
  /** Index of the node in the list. */
  readonly node: number;
  /** The blocks whose events show the fault; for a regression, the stored block. */
  readonly from: bigint;
  readonly through: bigint;
  /** The block from which the next pass reads again, so that a missing event can be recovered. */
  readonly repairFrom: bigint | undefined;
  /** Returns the fingerprint of the pass's events between two blocks that it read. */
  digest(from: bigint, through: bigint): string;
}

/** The events that a pass read, starting at block `from`. */
export interface ReadSpan {
  readonly from: bigint;
  readonly events: readonly ChainEvent[];
}

/** The pass that found a fault. */
interface FaultyPass {
  readonly chain: { readonly db: Database; readonly deployment: Deployment };
  /** Index of the pass's node in the list. */
  readonly node: { readonly index: number };
}

/** Creates the fault of a pass that read `span`, to be confirmed by a second pass. */
export function faultOf({ chain, node }: FaultyPass, { failure, block }: EventFault, span: ReadSpan): UnconfirmedFault {
  const { db, deployment } = chain;
  const { from, events } = span;
  // An event may be missing anywhere after the last stored settlement, not only in this range.
  const since = settlementEventBefore(db, from)?.blockNumber ?? firstBlock(deployment);
  return {
    failure,
    node: node.index,
    from,
    through: block,
    repairFrom: since < from ? since : from,
    digest: (first, lastBlock) => digestOf(events, first, lastBlock),
  };
}

/** Returns true if the second of two consecutive passes confirms the fault of the first. */
export function confirms(
  first: UnconfirmedFault | undefined,
  second: UnconfirmedFault,
  sameNodeWillDo: boolean,
): boolean {
  if (first === undefined || first.failure.check !== second.failure.check) return false;
  if (first.node === second.node && !sameNodeWillDo) return false;
  if (second.failure.check === "snapshot_regression") return true;
  if (second.from > first.from || second.through < first.through) return false;
  return first.digest(first.from, first.through) === second.digest(first.from, first.through);
}
