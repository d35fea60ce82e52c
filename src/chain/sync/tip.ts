/** Reads a node's tip, its newest block: chain id, height and the hash of the stored block, in one batch. */
import { UINT256_MAX } from "../../values/decimal.ts";
import { SAFE_DEPTH } from "../../values/settlement-limits.ts";
import { type Block, blockCall, bytesOf, ContradictingResponse, parseBlock, quantity } from "../rpc/node-responses.ts";
import { RpcError } from "../rpc/rpc-error.ts";
import type { RpcNode } from "../rpc/rpc-node.ts";
import type { StoredThrough } from "../store/sync-row.ts";
import { MULTICALL3 } from "../view/reading.ts";

export interface Tip {
  readonly block: bigint;
  /** block − SAFE_DEPTH; negative on a chain with fewer blocks. */
  readonly safe: bigint;
  /** The stored block as the node has it; undefined if nothing is stored, or if the node is behind it. */
  readonly storedBlock: Block | undefined;
  readonly multicall: boolean;
}

/** The node is on another chain; `safe` is its safe block, if known. */
export interface OtherChain {
  readonly otherChainId: bigint;
  readonly safe: bigint | undefined;
}

interface TipQuestion {
  readonly chainId: bigint;
  /** Every pass compares its hash with the node's. */
  readonly stored: StoredThrough | undefined;
  /** True if the chain is known to have Multicall3; undefined asks the node. */
  readonly multicall: boolean | undefined;
}

/** Reports another chain id even if the node refuses the other calls. Throws `RpcError` or `ContradictingResponse`. */
export async function readTip(node: RpcNode, question: TipQuestion): Promise<Tip | OtherChain> {
  const { stored, multicall } = question;
  const responses = await node.batchSettled([
    { method: "eth_chainId", params: [] },
    { method: "eth_blockNumber", params: [] },
    ...(stored === undefined ? [] : [blockCall(stored.block)]),
    ...(multicall === undefined ? [{ method: "eth_getCode", params: [MULTICALL3, "latest"] }] : []),
  ]);
  const [chainId, height] = responses;
  const found = chainId instanceof RpcError ? undefined : quantity(chainId, UINT256_MAX);
  if (found !== undefined && found !== question.chainId) {
    const safe = height instanceof RpcError ? undefined : quantity(height) - SAFE_DEPTH;
    return { otherChainId: found, safe };
  }
  for (const response of responses) if (response instanceof RpcError) throw response;
  const block = quantity(height);
  const code = multicall === undefined ? bytesOf(responses.at(-1)) : undefined;
  if (multicall === undefined && code === undefined) throw new ContradictingResponse("the code is no byte string");
  const isBehind = stored === undefined || block < stored.block;
  return {
    block,
    safe: block - SAFE_DEPTH,
    storedBlock: isBehind ? undefined : parseBlock(responses[2], stored.block),
    multicall: multicall ?? code !== "0x",
  };
}

/** Returns the tip whose safe block is at most `safe`, so that a confirming pass reads the same blocks as the first. */
export function tipAt(tip: Tip, safe: bigint | undefined): Tip {
  return safe === undefined || safe >= tip.safe ? tip : { ...tip, block: safe + SAFE_DEPTH, safe };
}
