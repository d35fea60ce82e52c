/** Fetches the events of a span of blocks from one node, in ascending ranges, several of them in flight. */

import { fieldsOf } from "../../values/unknown.ts";
import { type Block, blockCall, parseBlock } from "../rpc/node-responses.ts";
import type { RangeSize } from "../rpc/nodes.ts";
import { RpcError } from "../rpc/rpc-error.ts";
import type { RpcNode } from "../rpc/rpc-node.ts";
import { type SuspectBlock, suspectBlocks } from "./blooms.ts";
import { decodeEvents, getLogsFilter, type RangeEvents, type WatchedContracts, withBlocks } from "./events.ts";

/** A range whose end block the node is proven to know: its hash was requested after the events, from the same node. */
export interface ProvenRange extends RangeEvents {
  readonly endHash: string;
  /** Blocks of the range whose blooms indicate events that the response lacks. */
  readonly suspects: readonly SuspectBlock[];
}

/** A request for the events of the `watched` contracts between two blocks, both included. */
export interface RangeRequest {
  readonly node: RpcNode;
  readonly watched: WatchedContracts;
  readonly size: RangeSize;
  readonly from: bigint;
  readonly to: bigint;
  /** From this block on, each header's bloom is compared with the events. */
  readonly bloomsFrom: bigint;
  /** Lets other nodes confirm a proven range. Throws `NoQuorum`. */
  readonly confirm?: (range: RangeEvents, end: Block) => Promise<void>;
}

const IN_FLIGHT = 3;
/** Headers requested in one batch. */
const BLOCKS_IN_A_BATCH = 100;

/**
 * Yields ranges that together cover `from` to `to`. The last one has no proof: it ends at the safe block `to`, whose
 * hash arrives with the state that is read there. Throws `RpcError` and `ContradictingResponse`.
 */
export async function* fetchRanges(request: RangeRequest): AsyncGenerator<ProvenRange | RangeEvents> {
  const { size, to } = request;
  const flights: Promise<readonly (ProvenRange | RangeEvents)[]>[] = [];
  let next = request.from;
  while (next <= to || flights.length > 0) {
    while (next <= to && flights.length < IN_FLIGHT) {
      const end = next + BigInt(size.blocks) - 1n;
      const flight = fetchSplitting(request, next, end < to ? end : to);
      // Prevent an unhandled rejection before the flight is awaited below.
      flight.catch(() => undefined);
      flights.push(flight);
      next = end + 1n;
    }
    yield* (await flights.shift()) ?? [];
  }
}

export function isProven(range: ProvenRange | RangeEvents): range is ProvenRange {
  return "endHash" in range;
}

async function fetchSplitting(
  request: RangeRequest,
  from: bigint,
  to: bigint,
): Promise<readonly (ProvenRange | RangeEvents)[]> {
  const { node, watched, size } = request;
  const blocks = Number(to - from) + 1;
  let response: unknown;
  try {
    response = await node.request("eth_getLogs", [getLogsFilter(watched, from, to)]);
  } catch (error) {
    if (blocks === 1 || !(error instanceof RpcError)) throw error;
    if (!mayBeTooLarge(error) && !(await respondsToAnotherCall(node, error))) throw error;
    size.refused(blocks);
    const middle = from + BigInt(Math.floor(blocks / 2)) - 1n;
    const first = await fetchSplitting(request, from, middle);
    return [...first, ...(await fetchSplitting(request, middle + 1n, to))];
  }
  const range = decodeEvents(watched, from, to, response);
  size.returned(blocks, Number(fieldsOf(response).length));
  return [to === request.to ? range : await prove(request, range)];
}

/**
 * Returns true if half the range may work. Providers word their limits in many ways, so this includes every error
 * response that retries did not resolve.
 */
function mayBeTooLarge(error: RpcError): boolean {
  return error.kind === "range" || (error.facts.isResponse === true && error.kind !== "rate");
}

/**
 * Returns true if the node responds to another call after retries of this one failed. Some providers refuse a wide
 * range as if they were down (HTTP 503, "no backend is currently healthy").
 */
async function respondsToAnotherCall(node: RpcNode, { kind, facts }: RpcError): Promise<boolean> {
  if (kind === "rate" || facts.outOfTime || facts.harmful) return false;
  try {
    await node.request("eth_chainId", []);
    return true;
  } catch (error) {
    if (error instanceof RpcError) return false;
    throw error;
  }
}

/** Returns the blocks before a range's end whose headers are needed: those without a timestamp or near the tip. */
export function headersOf(range: RangeEvents, bloomsFrom: bigint): bigint[] {
  const wanted = new Set(range.undated);
  for (let block = bloomsFrom > range.from ? bloomsFrom : range.from; block < range.to; block++) wanted.add(block);
  wanted.delete(range.to);
  return [...wanted];
}

async function prove({ node, watched, bloomsFrom, confirm }: RangeRequest, range: RangeEvents): Promise<ProvenRange> {
  const blocks = new Map<bigint, Block>();
  const wanted = [range.to, ...headersOf(range, bloomsFrom)];
  for (let start = 0; start < wanted.length; start += BLOCKS_IN_A_BATCH) {
    const numbers = wanted.slice(start, start + BLOCKS_IN_A_BATCH);
    const responses = await node.batch(numbers.map(blockCall));
    numbers.forEach((number, index) => blocks.set(number, parseBlock(responses[index], number)));
  }
  const end = blocks.get(range.to) as Block;
  const near = [...blocks.values()].filter(({ number }) => number >= bloomsFrom);
  const dated = withBlocks(range, blocks);
  await confirm?.(dated, end);
  return {
    ...dated,
    endHash: end.hash,
    suspects: near.length === 0 ? [] : suspectBlocks(watched, near, range.events),
  };
}
