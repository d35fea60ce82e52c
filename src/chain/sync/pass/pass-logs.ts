/** The logs of one pass: each range held against what is stored, and stored once its end is proven. */
import type { ChainEvent } from "../../chain-state.ts";
import type { Frontier } from "../../checks/settlement-chain.ts";
import { type Block, blockCall, parseBlock } from "../../rpc/node-answers.ts";
import { append } from "../../store/append.ts";
import type { StoredThrough } from "../../store/sync-row.ts";
import { BLOOM_BLOCKS, type SuspectBlock } from "../blooms.ts";
import { fetchRanges, isProven } from "../fetch-ranges.ts";
import { failedLogCheck, faultOf, firstBlock, frontierAfter, frontierBefore } from "../log-checks.ts";
import type { RangeLogs } from "../logs.ts";
import type { PassContext, PassOutcome } from "./pass-types.ts";

/** What a pass has read and not stored yet: it ends at the safe block. */
export interface UnstoredLogs {
  /** How far the file goes. */
  readonly expected: StoredThrough | undefined;
  readonly from: bigint;
  readonly events: readonly ChainEvent[];
  /** What the last settlement left behind. */
  readonly frontier: Frontier;
  /** The range that ends at the safe block; undefined where nothing is new. */
  readonly last: RangeLogs | undefined;
  /** From this block on every header's bloom is held against the logs. */
  readonly bloomsFrom: bigint;
}

export async function readLogs(
  context: PassContext,
  safe: bigint,
  stored: StoredThrough | undefined,
): Promise<UnstoredLogs | PassOutcome> {
  const { chain, node, earlier, listener } = context;
  const { db, deployment, facts, sources } = chain;
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
      // Only a node that knows the range's end has said anything about it.
      if (!isProven(range)) parseBlock((await node.rpc.batch([blockCall(range.to)]))[0], range.to);
      return { kind: "fault", fault: faultOf(context, failed, { from, events }) };
    }
    frontier = frontierAfter(range.events, frontier);
    if (!isProven(range)) return { expected, from, events, frontier, last: range, bloomsFrom };
    const suspect = earlier.suspects.firstNew(range.suspects, safe, node);
    if (suspect !== undefined) return leftOut(suspect);
    if (expected !== undefined && from <= expected.block) {
      // What is stored stays until all of it that is read again, and the range of the fault, has been read.
      if (range.to < expected.block || range.to < (earlier.fault?.through ?? 0n)) continue;
      facts.reset();
    }
    const through = { block: range.to, hash: range.endHash };
    append(db, { expected, from, events, through });
    listener.onRange({ from: begin, through: range.to, safe, events: events.length });
    expected = through;
    from = range.to + 1n;
    events = [];
  }
  return { expected, from, events, frontier, last: undefined, bloomsFrom };
}

/** What a pass says of a block whose logs it does not believe to be whole. */
export function leftOut({ number, missing }: SuspectBlock): PassOutcome {
  return {
    kind: "logs_left_out",
    message: `the logs of block ${number} leave out what its bloom holds: ${missing.join(", ")}`,
  };
}
