/** The binding checks that logs alone decide (docs/spec/chain.md#checks), and the fault of a pass if one fails. */
import type { Database } from "better-sqlite3";
import type { ChainEvent } from "../chain-state.ts";
import type { FailedCheck } from "../check-name.ts";
import { discontinuity, type Frontier, frontierOf, isSettlement, NOTHING_SETTLED } from "../checks/settlement-chain.ts";
import type { UnconfirmedFault } from "../checks/unconfirmed-fault.ts";
import type { Deployment } from "../deployment.ts";
import { digestOf, settlementBefore } from "../store/read-events.ts";
import type { RangeLogs } from "./logs.ts";
import type { PassContext } from "./pass-types.ts";

export interface LogFault {
  readonly failure: FailedCheck;
  /** The block whose log, or whose lack of one, shows it. */
  readonly block: bigint;
}

/** The logs that a pass has read from block `from` on. */
export interface ReadSpan {
  readonly from: bigint;
  readonly events: readonly ChainEvent[];
}

/** The first check that a range's logs fail; `before` has the totals after the settlement before it. */
export function failedLogCheck(deployment: Deployment, range: RangeLogs, before: Frontier): LogFault | undefined {
  return brokenSettlement(range.events, before) ?? missingDeployment(deployment, range);
}

/** The fault of a pass that has read `span`, to be confirmed by a second one. */
export function faultOf(context: PassContext, { failure, block }: LogFault, span: ReadSpan): UnconfirmedFault {
  const { db, deployment } = context.chain;
  const { from, events } = span;
  // A log may have been lost since the last settlement that is stored, and not only in this range.
  const since = settlementBefore(db, from)?.blockNumber ?? firstBlock(deployment);
  return {
    failure,
    node: context.node.index,
    from,
    through: block,
    repairFrom: since < from ? since : from,
    digest: (first, lastBlock) => digestOf(events, first, lastBlock),
  };
}

/** The first block of which logs are read. */
export function firstBlock({ deploymentBlock, economy }: Deployment): bigint {
  return BigInt(Math.min(deploymentBlock, economy?.deploymentBlock ?? deploymentBlock));
}

/** The totals after the newest stored settlement below a block. */
export function frontierBefore(db: Database, block: bigint): Frontier {
  const settlement = settlementBefore(db, block);
  return settlement === undefined ? NOTHING_SETTLED : frontierOf(settlement);
}

/** The totals after the last settlement of a range. */
export function frontierAfter(events: readonly ChainEvent[], before: Frontier): Frontier {
  const last = events.findLast(isSettlement);
  return last === undefined ? before : frontierOf(last);
}

function brokenSettlement(events: readonly ChainEvent[], before: Frontier): LogFault | undefined {
  let frontier = before;
  for (const event of events) {
    if (!isSettlement(event)) continue;
    const detail = discontinuity(frontier, event);
    if (detail !== undefined) return { failure: { check: "settlement_continuity", detail }, block: event.blockNumber };
    frontier = frontierOf(event);
  }
  return undefined;
}

function missingDeployment(deployment: Deployment, range: RangeLogs): LogFault | undefined {
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
