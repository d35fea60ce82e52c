/** The first question of a pass, in one batch: which chain, how far, and whether the stored block is still there. */
import type { Database } from "better-sqlite3";
import { SAFE_DEPTH } from "../../values/settlement-limits.ts";
import { type Block, blockCall, ContradictingAnswer, parseBlock, quantity } from "../rpc/node-answers.ts";
import { RpcError } from "../rpc/rpc-error.ts";
import type { RpcNode } from "../rpc/rpc-node.ts";
import { newestEventUpTo } from "../store/read-events.ts";
import type { SyncRow } from "../store/sync-row.ts";
import { MULTICALL3 } from "../view/view-calls.ts";

/** The stored block whose hash every pass compares. */
export interface Checkpoint {
  readonly block: bigint;
  readonly hash: string;
}

export interface Head {
  readonly head: bigint;
  /** head − 11; below zero on a chain younger than that. */
  readonly safe: bigint;
  /** The block of the checkpoint as the node has it; undefined without one, or where the node is behind it. */
  readonly checkpoint: Block | undefined;
  readonly multicall: boolean;
}

/** The node's chain is another one; its safe block, where the node says how far it is. */
export interface OtherChain {
  readonly otherChainId: bigint;
  readonly safe: bigint | undefined;
}

export interface HeadQuestion {
  readonly chainId: bigint;
  readonly checkpoint: Checkpoint | undefined;
  /** Whether Multicall3 is known to be there; undefined asks. */
  readonly multicall: boolean | undefined;
}

/** The last stored block; after a rewind, whose block has no known hash, that of the newest event left. */
export function checkpointOf(db: Database, { stored }: SyncRow): Checkpoint | undefined {
  if (stored === undefined) return undefined;
  if (stored.hash !== null) return { block: stored.block, hash: stored.hash };
  const event = newestEventUpTo(db, stored.block);
  return event && { block: event.blockNumber, hash: event.blockHash };
}

/** Throws `RpcError` or `ContradictingAnswer`; another chain is another chain, whatever else the node refuses. */
export async function readHead(node: RpcNode, question: HeadQuestion): Promise<Head | OtherChain> {
  const { checkpoint, multicall } = question;
  const answers = await node.batchSettled([
    { method: "eth_chainId", params: [] },
    { method: "eth_blockNumber", params: [] },
    ...(checkpoint === undefined ? [] : [blockCall(checkpoint.block)]),
    ...(multicall === undefined ? [{ method: "eth_getCode", params: [MULTICALL3, "latest"] }] : []),
  ]);
  const [chainId, height] = answers;
  if (!(chainId instanceof RpcError) && quantity(chainId) !== question.chainId) {
    const safe = height instanceof RpcError ? undefined : quantity(height) - SAFE_DEPTH;
    return { otherChainId: quantity(chainId), safe };
  }
  for (const answer of answers) if (answer instanceof RpcError) throw answer;
  const head = quantity(height);
  const code = answers.at(-1);
  if (multicall === undefined && typeof code !== "string") throw new ContradictingAnswer("no hexadecimal bytes");
  const isBehind = checkpoint === undefined || head < checkpoint.block;
  return {
    head,
    safe: head - SAFE_DEPTH,
    checkpoint: isBehind ? undefined : parseBlock(answers[2], checkpoint.block),
    multicall: multicall ?? (code !== "0x" && code !== ""),
  };
}

/** The head as it was when the safe block was `safe`: a pass that confirms another is about the same blocks. */
export function headAt(head: Head, safe: bigint | undefined): Head {
  return safe === undefined || safe >= head.safe ? head : { ...head, head: safe + SAFE_DEPTH, safe };
}
