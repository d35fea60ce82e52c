/** Reads a node's head: chain id, height and the hash of the stored block, in one batch. */
import { UINT256_MAX } from "../../values/decimal.ts";
import { SAFE_DEPTH } from "../../values/settlement-limits.ts";
import { type Block, blockCall, bytesOf, ContradictingResponse, parseBlock, quantity } from "../rpc/node-responses.ts";
import { RpcError } from "../rpc/rpc-error.ts";
import type { RpcNode } from "../rpc/rpc-node.ts";
import { MULTICALL3 } from "../view/reading.ts";

export interface Head {
  readonly head: bigint;
  /** head − SAFE_DEPTH; negative on a chain with fewer blocks. */
  readonly safe: bigint;
  /** The checkpoint's block as the node has it; undefined without a checkpoint, or if the node is behind it. */
  readonly checkpoint: Block | undefined;
  readonly multicall: boolean;
}

/** The stored block whose hash every pass compares with the node's. */
interface Checkpoint {
  readonly block: bigint;
  readonly hash: string;
}

/** The node is on another chain; `safe` is its safe block, if known. */
export interface OtherChain {
  readonly otherChainId: bigint;
  readonly safe: bigint | undefined;
}

interface HeadQuestion {
  readonly chainId: bigint;
  readonly checkpoint: Checkpoint | undefined;
  /** True if the chain is known to have Multicall3; undefined asks the node. */
  readonly multicall: boolean | undefined;
}

/** Reports another chain id even if the node refuses the other calls. Throws `RpcError` or `ContradictingResponse`. */
export async function readHead(node: RpcNode, question: HeadQuestion): Promise<Head | OtherChain> {
  const { checkpoint, multicall } = question;
  const responses = await node.batchSettled([
    { method: "eth_chainId", params: [] },
    { method: "eth_blockNumber", params: [] },
    ...(checkpoint === undefined ? [] : [blockCall(checkpoint.block)]),
    ...(multicall === undefined ? [{ method: "eth_getCode", params: [MULTICALL3, "latest"] }] : []),
  ]);
  const [chainId, height] = responses;
  const found = chainId instanceof RpcError ? undefined : quantity(chainId, UINT256_MAX);
  if (found !== undefined && found !== question.chainId) {
    const safe = height instanceof RpcError ? undefined : quantity(height) - SAFE_DEPTH;
    return { otherChainId: found, safe };
  }
  for (const response of responses) if (response instanceof RpcError) throw response;
  const head = quantity(height);
  const code = multicall === undefined ? bytesOf(responses.at(-1)) : undefined;
  if (multicall === undefined && code === undefined) throw new ContradictingResponse("the code is no byte string");
  const isBehind = checkpoint === undefined || head < checkpoint.block;
  return {
    head,
    safe: head - SAFE_DEPTH,
    checkpoint: isBehind ? undefined : parseBlock(responses[2], checkpoint.block),
    multicall: multicall ?? code !== "0x",
  };
}

/** Returns the head whose safe block is at most `safe`, so that a confirming pass reads the same blocks as the first. */
export function headAt(head: Head, safe: bigint | undefined): Head {
  return safe === undefined || safe >= head.safe ? head : { ...head, head: safe + SAFE_DEPTH, safe };
}
