/** Shapes that the chain-backed resources share (docs/spec/api.md#onchain). */
import * as z from "zod";
import type { ChainPoint, ChainUnavailable } from "../chain/chain-state.ts";
import { uint256String } from "../values/decimal.ts";
import { CONFIRMATIONS, SAFE_DEPTH } from "../values/settlement-limits.ts";

export const CHAIN_UNAVAILABLE = [
  "indexer_disabled",
  "not_yet_safe",
  "indexer_mismatch",
  "indexer_unavailable",
] as const satisfies readonly ChainUnavailable[];

/** `chain` of the settlement histories; onchain and activity have it in orders and with fields of their own. */
export const chainPointFields = {
  target: z.string(),
  chainId: uint256String,
  confirmations: z.literal(String(CONFIRMATIONS)),
  deploymentBlock: uint256String,
  indexedThroughBlock: uint256String,
  safeThroughBlock: uint256String,
};

export function chainPointOf(chain: ChainPoint) {
  return {
    target: chain.target,
    chainId: String(chain.chainId),
    confirmations: String(CONFIRMATIONS),
    deploymentBlock: String(chain.deploymentBlock),
    indexedThroughBlock: String(chain.indexedThroughBlock),
    safeThroughBlock: String(chain.safeThroughBlock),
  };
}

interface Heights {
  readonly deploymentBlock: string;
  readonly indexedThroughBlock: string;
  readonly safeThroughBlock: string;
}

/** The safe block is the indexed one less 11, and not before the deployment (docs/spec/api.md#onchain). */
export function heightsAgree(chain: Heights): boolean {
  return (
    BigInt(chain.safeThroughBlock) === BigInt(chain.indexedThroughBlock) - SAFE_DEPTH &&
    BigInt(chain.deploymentBlock) <= BigInt(chain.safeThroughBlock)
  );
}

/** True if a block lies between the deployment and the safe height. */
export function isWithin(chain: Heights, blockNumber: string): boolean {
  return BigInt(chain.deploymentBlock) <= BigInt(blockNumber) && BigInt(blockNumber) <= BigInt(chain.safeThroughBlock);
}
