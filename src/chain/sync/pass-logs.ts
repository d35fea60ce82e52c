/** The logs of one pass: each range held against what is stored, and stored once its end is proven. */
import type { Database } from "better-sqlite3";
import type { FailedCheck } from "../checks/checks.ts";
import { discontinuity, type Frontier, frontierOf, isSettlement, NOTHING_SETTLED } from "../checks/settlement-chain.ts";
import { type Doubt, digestOf } from "../checks/unconfirmed-fault.ts";
import type { Deployment } from "../deployment.ts";
import type { ChainEvent } from "../view/chain-state.ts";
import { settlementBefore } from "../view/read-events.ts";
import { blockCall, fetchRanges, isProven } from "./fetch-ranges.ts";
import { type RangeLogs } from "./logs.ts";
import { parseBlock } from "./node-answers.ts";
import type { PassContext } from "./pass-context.ts";
import { append, type StoredThrough } from "./store.ts";

/** What a pass has read and not stored yet: it ends at the safe block. */
export interface Held {
  /** How far the file goes. */
  readonly expected: StoredThrough | undefined;
  readonly from: bigint;
  readonly events: readonly ChainEvent[];
  /** What the last settlement left behind. */
  readonly frontier: Frontier;
  /** The range that ends at the safe block; undefined where nothing is new. */
  readonly last: RangeLogs | undefined;
}

export async function readLogs(
  context: PassContext,
  safe: bigint,
  stored: StoredThrough | undefined,
): Promise<Held | { readonly doubt: Doubt }> {
  const { db, deployment, node } = context;
  const next = stored === undefined ? 0n : stored.block + 1n;
  const start = firstBlock(deployment);
  const begin = context.repairFrom ?? (next < start ? start : next);
  let from = begin;
  let expected = stored;
  let events: ChainEvent[] = [];
  let frontier = frontierBefore(db, from);
  let last: RangeLogs | undefined;
  for await (const range of fetchRanges(node, context.sources, from, safe, context.size)) {
    for (const event of range.events) events.push(event);
    const found = brokenSettlement(range.events, frontier) ?? missingDeployment(deployment, range);
    if (found !== undefined) {
      // Only a node that knows the range's end has said anything about it.
      if (!isProven(range)) parseBlock((await node.batch([blockCall(range.to)]))[0], range.to);
      return { doubt: doubtOf(context, found.failure, from, found.block, events) };
    }
    frontier = range.events.filter(isSettlement).map(frontierOf).at(-1) ?? frontier;
    if (!isProven(range)) {
      last = range;
      break;
    }
    if (expected !== undefined && from <= expected.block) {
      // What is stored stays until all of it that is read again, and the range of the doubt, has been read.
      if (range.to < expected.block || range.to < (context.doubt?.through ?? 0n)) continue;
      context.facts.reset();
    }
    const through = { block: range.to, hash: range.endHash };
    append(db, { expected, from, events, through });
    context.onRange({ from: begin, through: range.to, safe, events: events.length });
    expected = through;
    from = range.to + 1n;
    events = [];
  }
  return { expected, from, events, frontier, last };
}

/** A doubt of a pass that has read `events` from block `from` on. */
export function doubtOf(
  context: PassContext,
  failure: FailedCheck,
  from: bigint,
  through: bigint,
  events: readonly ChainEvent[],
): Doubt {
  // A log may have been lost since the last settlement that is stored, and not only in this range.
  const since = settlementBefore(context.db, from)?.blockNumber ?? firstBlock(context.deployment);
  return {
    failure,
    node: context.nodeIndex,
    from,
    through,
    repairFrom: since < from ? since : from,
    digest: (first, lastBlock) => digestOf(events, first, lastBlock),
  };
}

/** The first block of which logs are read. */
export function firstBlock({ deploymentBlock, economy }: Deployment): bigint {
  return BigInt(Math.min(deploymentBlock, economy?.deploymentBlock ?? deploymentBlock));
}

function frontierBefore(db: Database, block: bigint): Frontier {
  const settlement = settlementBefore(db, block);
  return settlement === undefined ? NOTHING_SETTLED : frontierOf(settlement);
}

interface Found {
  readonly failure: FailedCheck;
  readonly block: bigint;
}

function brokenSettlement(events: readonly ChainEvent[], before: Frontier): Found | undefined {
  let frontier = before;
  for (const event of events) {
    if (!isSettlement(event)) continue;
    const detail = discontinuity(frontier, event);
    if (detail !== undefined) return { failure: { check: "settlement_continuity", detail }, block: event.blockNumber };
    frontier = frontierOf(event);
  }
  return undefined;
}

function missingDeployment(deployment: Deployment, range: RangeLogs): Found | undefined {
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
