/**
 * One pass against one head of one node (docs/spec/chain.md#reading): the head, the logs up to the safe block, the state
 * at it, and the checks. Ranges are stored as they are proven; the last one together with what the state says of it.
 */
import type { UnconfirmedFault } from "../../checks/unconfirmed-fault.ts";
import { readSync } from "../../store/sync-row.ts";
import { checkpointOf, headAt, readHead } from "../head.ts";
import { readLogs } from "./pass-logs.ts";
import { failedBinding, readSafeState } from "./pass-state.ts";
import type { PassContext, PassOutcome } from "./pass-types.ts";

/** Throws what the node's answers give: `RpcError`, `ContradictingAnswer`; and `StoreMoved`. */
export async function runPass(context: PassContext): Promise<PassOutcome> {
  const { db, deployment } = context.chain;
  const { node } = context;
  const sync = readSync(db);
  const checkpoint = checkpointOf(db, sync);
  const chainId = BigInt(deployment.chainId);
  const newest = await readHead(node.rpc, { chainId, checkpoint, multicall: node.multicall });
  if ("otherChainId" in newest) {
    const failure = { check: "chain_id", detail: `the node's chain is ${newest.otherChainId}` } as const;
    return { kind: "other_chain", failure, safe: newest.safe };
  }
  const head = headAt(newest, context.earlier.suspects.through);
  if (sync.stored !== undefined && head.safe < sync.stored.block) return { kind: "lagging", head: head.head };
  context.listener.onHead(head);
  if (head.safe < BigInt(deployment.deploymentBlock)) return { kind: "not_yet_safe" };
  if (checkpoint !== undefined && head.checkpoint?.hash !== checkpoint.hash) {
    const detail = `block ${checkpoint.block} is ${head.checkpoint?.hash}, stored as ${checkpoint.hash}`;
    return { kind: "fault", fault: regression(node.index, checkpoint.block, detail) };
  }
  if (context.earlier.isGood && head.safe === sync.stored?.block) return { kind: "unchanged" };
  if (sync.stored === undefined) {
    const failure = await failedBinding(context, head);
    if (failure !== undefined) return { kind: "mismatch", failure };
  }
  const logs = await readLogs(context, head.safe, sync.stored);
  return "kind" in logs ? logs : readSafeState(context, head, logs);
}

function regression(node: number, block: bigint, detail: string): UnconfirmedFault {
  const failure = { check: "snapshot_regression", detail } as const;
  return { failure, node, from: block, through: block, repairFrom: undefined, digest: () => "" };
}
