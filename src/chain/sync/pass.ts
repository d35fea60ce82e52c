/**
 * Runs one pass against one tip of one node (docs/spec/chain.md#reading). Reads the tip, the events up to the safe block
 * and the state at the safe block, checks them and stores the result. Ranges are stored as they are proven; the last one
 * is stored together with the state at its end.
 */
import { toBigintJson } from "../../values/decimal.ts";
import type { ChainEvent } from "../chain-state.ts";
import type { FailedCheck } from "../poll-event.ts";
import { type Block, blockCall, ContradictingResponse, parseBlock } from "../rpc/node-responses.ts";
import { append } from "../store/append.ts";
import { highestFunded, newestOf } from "../store/read-events.ts";
import { readSync, type StoredThrough } from "../store/sync-row.ts";
import { type EconomyFinding, economyFinding, failedCoreCheck, missingCoreCode } from "../view/checks.ts";
import {
  type CoreStateRead,
  type Reading,
  type Returned,
  readState,
  returnedCore,
  type WholeReading,
  wholeCore,
  wholeReading,
} from "../view/reading.ts";
import { snapshotOf } from "../view/views.ts";
import { BLOOM_BLOCKS, type SuspectBlock, suspectBlocks } from "./blooms.ts";
import type { Frontier } from "./event-checks.ts";
import {
  confirms,
  failedEventCheck,
  faultOf,
  firstBlock,
  frontierAfter,
  frontierBefore,
  type UnconfirmedFault,
} from "./event-checks.ts";
import { type RangeEvents, withBlocks } from "./events.ts";
import { fetchRanges, headersOf, isProven } from "./fetch-ranges.ts";
import type { PassContext, PassOutcome } from "./pass-types.ts";
import { readTip, type Tip, tipAt } from "./tip.ts";

/** Throws `RpcError` and `ContradictingResponse`. */
export async function runPass(context: PassContext): Promise<PassOutcome> {
  const { db, deployment } = context.chain;
  const { node } = context;
  const { stored, storedAt } = readSync(db);
  const chainId = BigInt(deployment.chainId);
  const found = await readTip(node.rpc, { chainId, stored, multicall: node.multicall });
  if ("otherChainId" in found) {
    const failure = { check: "chain_id", detail: `the node's chain is ${found.otherChainId}` } as const;
    return { kind: "other_chain", failure, safe: found.safe };
  }
  const newest = tipAt(found, context.chain.through?.());
  const tip = tipAt(newest, context.earlier.suspects.through);
  if (stored !== undefined && tip.safe < stored.block) return { kind: "lagging", block: tip.block };
  context.listener.onTip(tip);
  if (tip.safe < BigInt(deployment.deploymentBlock)) return { kind: "not_yet_safe" };
  if (stored !== undefined && tip.storedBlock?.hash !== stored.hash) {
    const detail = `block ${stored.block} is ${tip.storedBlock?.hash}, stored as ${stored.hash}`;
    return { kind: "fault", fault: regression(node.index, stored.block, detail) };
  }
  if (stored !== undefined && newest.safe === stored.block) {
    const stalled = await context.tips.check(node.index, { ...stored, at: storedAt });
    if (stalled !== undefined) return stalled;
    if (context.earlier.isGood) return { kind: "unchanged" };
  }
  if (stored === undefined) {
    const failure = await failedBinding(context, tip);
    if (failure !== undefined) return { kind: "mismatch", failure };
  }
  const read = await readEvents(context, tip.safe, stored);
  return "kind" in read ? read : readSafeState(context, tip, read);
}

function regression(node: number, block: bigint, detail: string): UnconfirmedFault {
  const failure = { check: "snapshot_regression", detail } as const;
  return { failure, node, from: block, through: block, repairFrom: undefined, digest: () => "" };
}

// The events: each range is checked against the stored data, and stored once its end is proven.

/** Events up to the safe block that a pass has read but not yet stored. */
interface UnstoredEvents {
  /** The last stored block. */
  readonly expected: StoredThrough | undefined;
  readonly from: bigint;
  readonly events: readonly ChainEvent[];
  /** The totals after the last settlement. */
  readonly frontier: Frontier;
  /** The range that ends at the safe block; undefined if nothing is new. */
  readonly last: RangeEvents | undefined;
  /** From this block on, each header's bloom is compared with the events. */
  readonly bloomsFrom: bigint;
}

async function readEvents(
  context: PassContext,
  safe: bigint,
  stored: StoredThrough | undefined,
): Promise<UnstoredEvents | PassOutcome> {
  const { chain, node, earlier, listener } = context;
  const { db, deployment, watched } = chain;
  const next = stored === undefined ? 0n : stored.block + 1n;
  const start = firstBlock(deployment);
  const begin = earlier.repairFrom ?? (next < start ? start : next);
  let from = begin;
  let expected = stored;
  let events: ChainEvent[] = [];
  let frontier = frontierBefore(db, from);
  const bloomsFrom = safe - BLOOM_BLOCKS + 1n > begin ? safe - BLOOM_BLOCKS + 1n : begin;
  const confirm = (range: RangeEvents, end: Block) => context.quorum.confirmRange(range, end);
  const request = { node: node.rpc, watched, size: node.size, from, to: safe, bloomsFrom, confirm };
  for await (const range of fetchRanges(request)) {
    for (const event of range.events) events.push(event);
    const failed = failedEventCheck(deployment, range, frontier);
    if (failed !== undefined) {
      // Check that the node knows the range's end: otherwise its events prove nothing.
      if (!isProven(range)) parseBlock((await node.rpc.batch([blockCall(range.to)]))[0], range.to);
      return { kind: "fault", fault: faultOf(context, failed, { from, events }) };
    }
    frontier = frontierAfter(range.events, frontier);
    if (!isProven(range)) return { expected, from, events, frontier, last: range, bloomsFrom };
    const suspect = earlier.suspects.record(range.suspects, safe, node);
    if (suspect !== undefined) return leftOut(suspect);
    if (expected !== undefined && from <= expected.block) {
      // Keep the stored events until the whole span that is read again, including the fault's, has been read.
      if (range.to < expected.block || range.to < (earlier.fault?.through ?? 0n)) continue;
    }
    const through = { block: range.to, hash: range.endHash };
    append(db, { expected, from, events, through, at: context.chain.now() });
    listener.onRange({ from: begin, through: range.to, safe, events: events.length });
    expected = through;
    from = range.to + 1n;
    events = [];
  }
  return { expected, from, events, frontier, last: undefined, bloomsFrom };
}

/** Returns the outcome for a block whose events seem incomplete. */
function leftOut({ number, missing }: SuspectBlock): PassOutcome {
  return {
    kind: "events_left_out",
    message: `block ${number} lacks events that its bloom indicates: ${missing.join(", ")}`,
  };
}

// The state at the safe block, and the checks that need it.

/**
 * Checks the Core's binding before the first sync, which may take hours, so that a deployment file with other contracts
 * is a mismatch at once.
 */
async function failedBinding(context: PassContext, tip: Tip): Promise<FailedCheck | undefined> {
  const request = { block: tip.safe, expectedImplementation: null, multicall: tip.multicall, blocks: [] };
  const reading = await readState(context.node.rpc, context.chain.deployment, request);
  await context.quorum.confirmState(request, reading);
  return failedCheck(context, reading, returnedCore(reading.views));
}

async function readSafeState(context: PassContext, tip: Tip, unstored: UnstoredEvents): Promise<PassOutcome> {
  const { db, deployment, watched } = context.chain;
  const upgraded = unstored.events.findLast((event) => event.eventName === "Upgraded");
  const request = {
    block: tip.safe,
    expectedImplementation: (upgraded ?? newestOf(db, "core", "Upgraded", 1)[0])?.arguments[0]?.value,
    multicall: tip.multicall,
    blocks: unstored.last === undefined ? [] : headersOf(unstored.last, unstored.bloomsFrom),
  };
  const reading = await readState(context.node.rpc, deployment, request);
  const dated = provenByReading(unstored, reading);
  // Confirm before any check, because one node's mismatch proves little.
  await context.quorum.confirmState(request, reading);
  if (unstored.last !== undefined)
    await context.quorum.confirmRange(
      { ...unstored.last, events: eventsOf(unstored.last, dated.events) },
      reading.block,
    );
  const core = returnedCore(reading.views);
  const failure = failedCheck(context, reading, core);
  if (failure !== undefined) return { kind: "mismatch", failure };
  const unsettled = differingState(unstored.frontier, core);
  if (unsettled !== undefined) {
    return { kind: "fault", fault: faultOf(context, { failure: unsettled, block: tip.safe }, dated) };
  }
  if (unstored.last !== undefined) {
    const near = [...reading.blocks.values(), reading.block].filter(({ number }) => number >= unstored.bloomsFrom);
    const suspects = suspectBlocks(watched, near, dated.events);
    const suspect = context.earlier.suspects.record(suspects, tip.safe, context.node);
    if (suspect !== undefined) return leftOut(suspect);
  }
  let whole: { readonly reading: WholeReading; readonly core: CoreStateRead };
  try {
    whole = { reading: wholeReading(reading), core: wholeCore(reading.views) };
  } catch (error) {
    if (!(error instanceof ContradictingResponse)) throw error;
    const economy = economyFinding(deployment, reading, core, undefined);
    const economyMismatch = economy.kind === "mismatch" ? economy.failure : undefined;
    return { kind: "incomplete", message: error.message, economyMismatch };
  }
  return storeSnapshot(context, { tip, unstored: dated, ...whole });
}

function failedCheck({ chain }: PassContext, reading: Reading, core: Returned<CoreStateRead>): FailedCheck | undefined {
  return missingCoreCode(reading) ?? failedCoreCheck(chain.deployment, reading, core, chain.genesisTimestamp);
}

/** Uses the reading as the proof of the last range's end, and adds the timestamps that its events lacked. */
function provenByReading(unstored: UnstoredEvents, reading: Reading): UnstoredEvents {
  const { block } = reading;
  if (unstored.last === undefined) {
    const { expected } = unstored;
    if (expected?.block === block.number && expected.hash !== null && expected.hash !== block.hash) {
      throw new ContradictingResponse(`two hashes of block ${block.number}`);
    }
    return unstored;
  }
  const known = new Map([...reading.blocks, [block.number, block]]);
  return { ...unstored, events: withBlocks({ ...unstored.last, events: [...unstored.events] }, known).events };
}

/** Returns the dated events of the last range. Earlier ranges that wait for it were confirmed separately. */
function eventsOf({ from }: RangeEvents, events: readonly ChainEvent[]): ChainEvent[] {
  return events.filter(({ blockNumber }) => blockNumber >= from);
}

function differingState(frontier: Frontier, core: Returned<CoreStateRead>): FailedCheck | undefined {
  for (const name of ["settledThroughRound", "cumulativeWork", "blockHeight"] as const) {
    if (core[name] !== undefined && frontier[name] !== core[name]) {
      const detail = `${name} is ${core[name]}, after the last BatchSettled ${frontier[name]}`;
      return { check: "settlement_state", detail };
    }
  }
  return undefined;
}

// Storing the last range and the snapshot in one transaction, which a fault of the economy rolls back.

/** Everything that a pass read at the safe block, after the checks of the Core passed. */
interface SafeState {
  readonly tip: Tip;
  readonly unstored: UnstoredEvents;
  readonly reading: WholeReading;
  readonly core: CoreStateRead;
}

function storeSnapshot(context: PassContext, state: SafeState): PassOutcome {
  const { db, deployment, now } = context.chain;
  const { tip, unstored, reading, core } = state;
  let outcome: PassOutcome | undefined;
  try {
    append(db, {
      expected: unstored.expected,
      from: unstored.from,
      events: unstored.events,
      through: { block: tip.safe, hash: reading.block.hash },
      at: now(),
      finish() {
        const economy = economyFinding(deployment, reading, core, highestFunded(db));
        const fault = fundingFault(context, economy, state);
        if (fault !== undefined) throw new FaultInTransaction(fault);
        const whole = { deployment, reading, core, tip: tip.block };
        const snapshot = snapshotOf(db, { ...whole, economy: economy.kind === "read" ? economy.state : undefined });
        outcome = { kind: "read", snapshot, economy };
        return { tip: tip.block, snapshot: toBigintJson(snapshot) };
      },
    });
  } catch (error) {
    if (error instanceof FaultInTransaction) return { kind: "fault", fault: error.fault };
    throw error;
  }
  context.listener.onRange({ from: unstored.from, through: tip.safe, safe: tip.safe, events: unstored.events.length });
  if (outcome === undefined) throw new Error("the pass was stored without its outcome");
  return outcome;
}

/** Returns a fault for a funding above the cursor, unless a second pass confirms it. The first pass stores nothing. */
function fundingFault(
  context: PassContext,
  economy: EconomyFinding,
  { tip, unstored }: SafeState,
): UnconfirmedFault | undefined {
  const { earlier, node } = context;
  if (economy.kind !== "mismatch" || economy.repairFrom === undefined || earlier.isFundingConfirmed) return undefined;
  const fault = faultOf(context, { failure: economy.failure, block: tip.safe }, unstored);
  const repairFrom = economy.repairFrom < unstored.from ? economy.repairFrom : unstored.from;
  return confirms(earlier.fault, fault, node.isOnlyResponding) ? undefined : { ...fault, repairFrom };
}

class FaultInTransaction extends Error {
  readonly fault: UnconfirmedFault;

  constructor(fault: UnconfirmedFault) {
    super(fault.failure.detail);
    this.fault = fault;
  }
}
