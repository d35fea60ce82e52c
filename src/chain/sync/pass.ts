/**
 * Runs one pass against one head of one node (docs/spec/chain.md#reading). Reads the head, the logs up to the safe block
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
import { fetchRanges, headersOf, isProven } from "./fetch-ranges.ts";
import { type Head, headAt, readHead } from "./head.ts";
import type { Frontier } from "./log-checks.ts";
import {
  confirms,
  failedLogCheck,
  faultOf,
  firstBlock,
  frontierAfter,
  frontierBefore,
  type UnconfirmedFault,
} from "./log-checks.ts";
import { type RangeLogs, withBlocks } from "./logs.ts";
import type { PassContext, PassOutcome } from "./pass-types.ts";

/** Throws `RpcError` and `ContradictingResponse`. */
export async function runPass(context: PassContext): Promise<PassOutcome> {
  const { db, deployment } = context.chain;
  const { node } = context;
  const { stored, storedAt } = readSync(db);
  const chainId = BigInt(deployment.chainId);
  const found = await readHead(node.rpc, { chainId, checkpoint: stored, multicall: node.multicall });
  if ("otherChainId" in found) {
    const failure = { check: "chain_id", detail: `the node's chain is ${found.otherChainId}` } as const;
    return { kind: "other_chain", failure, safe: found.safe };
  }
  const newest = headAt(found, context.chain.through?.());
  const head = headAt(newest, context.earlier.suspects.through);
  if (stored !== undefined && head.safe < stored.block) return { kind: "lagging", head: head.head };
  context.listener.onHead(head);
  if (head.safe < BigInt(deployment.deploymentBlock)) return { kind: "not_yet_safe" };
  if (stored !== undefined && head.checkpoint?.hash !== stored.hash) {
    const detail = `block ${stored.block} is ${head.checkpoint?.hash}, stored as ${stored.hash}`;
    return { kind: "fault", fault: regression(node.index, stored.block, detail) };
  }
  if (stored !== undefined && newest.safe === stored.block) {
    const stalled = await context.heads.judge(node.index, { ...stored, at: storedAt });
    if (stalled !== undefined) return stalled;
    if (context.earlier.isGood) return { kind: "unchanged" };
  }
  if (stored === undefined) {
    const failure = await failedBinding(context, head);
    if (failure !== undefined) return { kind: "mismatch", failure };
  }
  const logs = await readLogs(context, head.safe, stored);
  return "kind" in logs ? logs : readSafeState(context, head, logs);
}

function regression(node: number, block: bigint, detail: string): UnconfirmedFault {
  const failure = { check: "snapshot_regression", detail } as const;
  return { failure, node, from: block, through: block, repairFrom: undefined, digest: () => "" };
}

// The logs: each range is checked against the stored data, and stored once its end is proven.

/** Logs up to the safe block that a pass has read but not yet stored. */
interface UnstoredLogs {
  /** The last stored block. */
  readonly expected: StoredThrough | undefined;
  readonly from: bigint;
  readonly events: readonly ChainEvent[];
  /** The totals after the last settlement. */
  readonly frontier: Frontier;
  /** The range that ends at the safe block; undefined if nothing is new. */
  readonly last: RangeLogs | undefined;
  /** From this block on, each header's bloom is compared with the logs. */
  readonly bloomsFrom: bigint;
}

async function readLogs(
  context: PassContext,
  safe: bigint,
  stored: StoredThrough | undefined,
): Promise<UnstoredLogs | PassOutcome> {
  const { chain, node, earlier, listener } = context;
  const { db, deployment, sources } = chain;
  const next = stored === undefined ? 0n : stored.block + 1n;
  const start = firstBlock(deployment);
  const begin = earlier.repairFrom ?? (next < start ? start : next);
  let from = begin;
  let expected = stored;
  let events: ChainEvent[] = [];
  let frontier = frontierBefore(db, from);
  const bloomsFrom = safe - BLOOM_BLOCKS + 1n > begin ? safe - BLOOM_BLOCKS + 1n : begin;
  const confirm = (range: RangeLogs, end: Block) => context.quorum.confirmRange(range, end);
  const request = { node: node.rpc, sources, size: node.size, from, to: safe, bloomsFrom, confirm };
  for await (const range of fetchRanges(request)) {
    for (const event of range.events) events.push(event);
    const failed = failedLogCheck(deployment, range, frontier);
    if (failed !== undefined) {
      // Check that the node knows the range's end: otherwise its logs prove nothing.
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

/** Returns the outcome for a block whose logs seem incomplete. */
function leftOut({ number, missing }: SuspectBlock): PassOutcome {
  return {
    kind: "logs_left_out",
    message: `the logs of block ${number} lack events that its bloom indicates: ${missing.join(", ")}`,
  };
}

// The state at the safe block, and the checks that need it.

/**
 * Checks the Core's binding before the first sync, which may take hours, so that a deployment file with other contracts
 * is a mismatch at once.
 */
async function failedBinding(context: PassContext, head: Head): Promise<FailedCheck | undefined> {
  const request = { block: head.safe, expectedImplementation: null, multicall: head.multicall, blocks: [] };
  const reading = await readState(context.node.rpc, context.chain.deployment, request);
  await context.quorum.confirmState(request, reading);
  return failedCheck(context, reading, returnedCore(reading.views));
}

async function readSafeState(context: PassContext, head: Head, logs: UnstoredLogs): Promise<PassOutcome> {
  const { db, deployment, sources } = context.chain;
  const upgraded = logs.events.findLast((event) => event.eventName === "Upgraded");
  const request = {
    block: head.safe,
    expectedImplementation: (upgraded ?? newestOf(db, "core", "Upgraded", 1)[0])?.arguments[0]?.value,
    multicall: head.multicall,
    blocks: logs.last === undefined ? [] : headersOf(logs.last, logs.bloomsFrom),
  };
  const reading = await readState(context.node.rpc, deployment, request);
  const dated = provenByReading(logs, reading);
  // Confirm before any check, because one node's mismatch proves little.
  await context.quorum.confirmState(request, reading);
  if (logs.last !== undefined)
    await context.quorum.confirmRange({ ...logs.last, events: eventsOf(logs.last, dated.events) }, reading.block);
  const core = returnedCore(reading.views);
  const failure = failedCheck(context, reading, core);
  if (failure !== undefined) return { kind: "mismatch", failure };
  const unsettled = differingState(logs.frontier, core);
  if (unsettled !== undefined) {
    return { kind: "fault", fault: faultOf(context, { failure: unsettled, block: head.safe }, dated) };
  }
  if (logs.last !== undefined) {
    const near = [...reading.blocks.values(), reading.block].filter(({ number }) => number >= logs.bloomsFrom);
    const suspects = suspectBlocks(sources, near, dated.events);
    const suspect = context.earlier.suspects.record(suspects, head.safe, context.node);
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
  return storeSnapshot(context, { head, logs: dated, ...whole });
}

function failedCheck({ chain }: PassContext, reading: Reading, core: Returned<CoreStateRead>): FailedCheck | undefined {
  return missingCoreCode(reading) ?? failedCoreCheck(chain.deployment, reading, core, chain.genesisTimestamp);
}

/** Uses the reading as the proof of the last range's end, and adds the timestamps that its logs lacked. */
function provenByReading(logs: UnstoredLogs, reading: Reading): UnstoredLogs {
  const { block } = reading;
  if (logs.last === undefined) {
    const { expected } = logs;
    if (expected?.block === block.number && expected.hash !== null && expected.hash !== block.hash) {
      throw new ContradictingResponse(`two hashes of block ${block.number}`);
    }
    return logs;
  }
  const known = new Map([...reading.blocks, [block.number, block]]);
  return { ...logs, events: withBlocks({ ...logs.last, events: [...logs.events] }, known).events };
}

/** Returns the dated events of the last range. Earlier ranges that wait for it were confirmed separately. */
function eventsOf({ from }: RangeLogs, events: readonly ChainEvent[]): ChainEvent[] {
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
  readonly head: Head;
  readonly logs: UnstoredLogs;
  readonly reading: WholeReading;
  readonly core: CoreStateRead;
}

function storeSnapshot(context: PassContext, state: SafeState): PassOutcome {
  const { db, deployment, now } = context.chain;
  const { head, logs, reading, core } = state;
  let outcome: PassOutcome | undefined;
  try {
    append(db, {
      expected: logs.expected,
      from: logs.from,
      events: logs.events,
      through: { block: head.safe, hash: reading.block.hash },
      at: now(),
      finish() {
        const economy = economyFinding(deployment, reading, core, highestFunded(db));
        const fault = fundingFault(context, economy, state);
        if (fault !== undefined) throw new Undone(fault);
        const whole = { deployment, reading, core, head: head.head };
        const snapshot = snapshotOf(db, { ...whole, economy: economy.kind === "read" ? economy.state : undefined });
        outcome = { kind: "read", snapshot, economy };
        return { head: head.head, snapshot: toBigintJson(snapshot) };
      },
    });
  } catch (error) {
    if (error instanceof Undone) return { kind: "fault", fault: error.fault };
    throw error;
  }
  context.listener.onRange({ from: logs.from, through: head.safe, safe: head.safe, events: logs.events.length });
  if (outcome === undefined) throw new Error("the pass was stored without its outcome");
  return outcome;
}

/** Returns a fault for a funding above the cursor, unless a second pass confirms it. The first pass stores nothing. */
function fundingFault(
  context: PassContext,
  economy: EconomyFinding,
  { head, logs }: SafeState,
): UnconfirmedFault | undefined {
  const { earlier, node } = context;
  if (economy.kind !== "mismatch" || economy.repairFrom === undefined || earlier.isFundingConfirmed) return undefined;
  const fault = faultOf(context, { failure: economy.failure, block: head.safe }, logs);
  const repairFrom = economy.repairFrom < logs.from ? economy.repairFrom : logs.from;
  return confirms(earlier.fault, fault, node.isOnlyResponding) ? undefined : { ...fault, repairFrom };
}

class Undone extends Error {
  readonly fault: UnconfirmedFault;

  constructor(fault: UnconfirmedFault) {
    super(fault.failure.detail);
    this.fault = fault;
  }
}
