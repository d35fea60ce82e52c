/**
 * One pass against one head of one node (design 3, Reading): the head, the logs up to the safe block, the state at it,
 * and the checks. Ranges are stored as they are proven; the last one together with what the state says of it.
 */
import type { Doubt } from "../checks/unconfirmed-fault.ts";
import { checkpointOf, readHead } from "./head.ts";
import type { PassContext, PassOutcome } from "./pass-context.ts";
import { readLogs } from "./pass-logs.ts";
import { failedBinding, readSafeState } from "./pass-state.ts";
import { readSync } from "./store.ts";

/** Throws what the node's answers give: `RpcError`, `ContradictingAnswer`; and `StoreMoved`. */
export async function runPass(context: PassContext): Promise<PassOutcome> {
  const { db, deployment, node } = context;
  const sync = readSync(db);
  const checkpoint = checkpointOf(db, sync);
  const head = await readHead(node, checkpoint, context.multicall);
  if (head.chainId !== BigInt(deployment.chainId)) {
    return { kind: "mismatch", failure: { check: "chain_id", detail: `the node's chain is ${head.chainId}` } };
  }
  if (sync.stored !== undefined && head.safe < sync.stored.block) return { kind: "lagging", head: head.head };
  context.onHead(head);
  if (head.safe < BigInt(deployment.deploymentBlock)) return { kind: "not_yet_safe" };
  if (checkpoint !== undefined && head.checkpoint?.hash !== checkpoint.hash) {
    const detail = `block ${checkpoint.block} is ${head.checkpoint?.hash}, stored as ${checkpoint.hash}`;
    return { kind: "doubt", doubt: regression(context.nodeIndex, checkpoint.block, detail) };
  }
  if (context.settled && head.safe === sync.stored?.block) return { kind: "unchanged" };
  if (sync.stored === undefined) {
    const failure = await failedBinding(context, head);
    if (failure !== undefined) return { kind: "mismatch", failure };
  }
  const logs = await readLogs(context, head.safe, sync.stored);
  return "doubt" in logs ? { kind: "doubt", doubt: logs.doubt } : readSafeState(context, head, logs);
}

function regression(node: number, block: bigint, detail: string): Doubt {
  const failure = { check: "snapshot_regression", detail } as const;
  return { failure, node, from: block, through: block, repairFrom: undefined, digest: () => "" };
}
