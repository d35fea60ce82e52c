/** Schemas of values and objects that several bodies share (docs/spec/api.md#values, #onchain). */
import * as z from "zod";
import type { ChainPoint, ChainUnavailable } from "../chain/chain-state.ts";
import { uint256String } from "../values/decimal.ts";
import { CONFIRMATIONS, SAFE_DEPTH } from "../values/settlement-limits.ts";

/** ISO 8601 UTC with three decimals. */
export const timestamp = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
/** YYYY-MM-DD. */
export const calendarDate = z.string().regex(/^\d{4}-\d\d-\d\d$/);
/** Any id that the ledger accepts may appear in a response. */
export const installationIdField = z.string().min(1).max(128);
export const uuid = z.string().regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
/** A nonnegative safe integer. */
export const count = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
export const chainHash = z.string().regex(/^0x[0-9a-f]{64}$/);
export const chainAddress = z.string().regex(/^0x[0-9a-fA-F]{40}$/);

export const CHAIN_UNAVAILABLE = [
  "indexer_disabled",
  "not_yet_safe",
  "indexer_mismatch",
  "indexer_unavailable",
] as const satisfies readonly ChainUnavailable[];

/** `chain` in settlements. In onchain and activity its fields have another order, and there are more. */
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

/** The rule of `heightsAgree` (docs/spec/api.md#onchain). */
export const HEIGHTS_RULE = `the safe block is the indexed one less ${SAFE_DEPTH}`;

/** True if the safe block is SAFE_DEPTH below the indexed one, and not before the deployment. */
export function heightsAgree(chain: Heights): boolean {
  return (
    BigInt(chain.safeThroughBlock) === BigInt(chain.indexedThroughBlock) - SAFE_DEPTH &&
    BigInt(chain.deploymentBlock) <= BigInt(chain.safeThroughBlock)
  );
}

/** True if a block is between the deployment and the safe block, both included. */
export function isWithin(chain: Heights, blockNumber: string): boolean {
  return BigInt(chain.deploymentBlock) <= BigInt(blockNumber) && BigInt(blockNumber) <= BigInt(chain.safeThroughBlock);
}
