/** The first question of a pass, in one batch: which chain, how far, and whether the stored block is still there. */
import type { Database } from "better-sqlite3";
import { SAFE_DEPTH } from "../../values/settlement-limits.ts";
import { type Block, blockCall, ContradictingAnswer, parseBlock, quantity } from "../rpc/node-answers.ts";
import type { RpcNode } from "../rpc/rpc-node.ts";
import { newestEventUpTo } from "../store/read-events.ts";
import type { SyncRow } from "../store/sync-row.ts";
import { MULTICALL3 } from "../view/reading.ts";

/** The stored block whose hash every pass compares. */
export interface Checkpoint {
  readonly block: bigint;
  readonly hash: string;
}

export interface Head {
  readonly chainId: bigint;
  readonly head: bigint;
  /** head − 11; below zero on a chain younger than that. */
  readonly safe: bigint;
  /** The block of the checkpoint as the node has it; undefined without one, or where the node is behind it. */
  readonly checkpoint: Block | undefined;
  readonly multicall: boolean;
}

/** The last stored block; after a rewind, whose block has no known hash, that of the newest event left. */
export function checkpointOf(db: Database, { stored }: SyncRow): Checkpoint | undefined {
  if (stored === undefined) return undefined;
  if (stored.hash !== null) return { block: stored.block, hash: stored.hash };
  const event = newestEventUpTo(db, stored.block);
  return event && { block: event.blockNumber, hash: event.blockHash };
}

/** `multicall`: whether Multicall3 is known to be there; undefined asks. */
export async function readHead(
  node: RpcNode,
  checkpoint: Checkpoint | undefined,
  multicall: boolean | undefined,
): Promise<Head> {
  const answers = await node.batch([
    { method: "eth_chainId", params: [] },
    { method: "eth_blockNumber", params: [] },
    ...(checkpoint === undefined ? [] : [blockCall(checkpoint.block)]),
    ...(multicall === undefined ? [{ method: "eth_getCode", params: [MULTICALL3, "latest"] }] : []),
  ]);
  const head = quantity(answers[1]);
  const block = checkpoint === undefined ? undefined : answers[2];
  const code = answers.at(-1);
  if (multicall === undefined && typeof code !== "string") throw new ContradictingAnswer("no hexadecimal bytes");
  return {
    chainId: quantity(answers[0]),
    head,
    safe: head - SAFE_DEPTH,
    checkpoint: checkpoint === undefined || head < checkpoint.block ? undefined : parseBlock(block, checkpoint.block),
    multicall: multicall ?? (code !== "0x" && code !== ""),
  };
}
