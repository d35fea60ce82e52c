/** Rebuilds the list of settled batches from the logs of the demo's chain, after a restart. */
import { decodeEventLog, encodeEventTopics, type Hex, numberToHex } from "viem";
import { CONFIRMATIONS } from "../../src/values/settlement-limits.ts";
import { call } from "./anvil.ts";
import { artifact } from "./compile.ts";
import { type DeploymentFile, readPeople } from "./deploy.ts";
import type { ChainBatches } from "./chain-settlement.ts";
import type { Node } from "./node.ts";
import type { ContractUsers } from "./transactions.ts";

/**
 * A restarted node knows the contract state only at its head. After this many new blocks it also knows the state at the
 * safe block.
 */
const NEW_BLOCKS = Number(CONFIRMATIONS);

/** `node` must have loaded its saved state. `now` is in epoch ms. */
export async function resumeChain(
  node: Node,
  deployment: DeploymentFile,
  now: number,
): Promise<{ cast: ContractUsers; batches: ChainBatches }> {
  const timestamp = Math.floor(now / 1000);
  for (let block = NEW_BLOCKS; block > 0; block--) await node.mine(timestamp - block);
  await node.save();
  return { cast: { deployment, people: await readPeople(node.url) }, batches: await readBatches(node.url, deployment) };
}

async function readBatches(url: string, { core, deploymentBlock }: DeploymentFile): Promise<ChainBatches> {
  const { abi } = artifact("Core");
  const topics = encodeEventTopics({ abi, eventName: "BatchSettled" });
  const filter = { address: core, topics, fromBlock: numberToHex(deploymentBlock), toBlock: "latest" };
  const logs = await call(url, "eth_getLogs", [filter]);
  const batches: ChainBatches = { settled: [], sent: new Map() };
  let height = 0;
  for (const { topics, data, transactionHash, blockNumber } of logs) {
    const event = decodeEventLog({ abi, topics: [...topics] as [Hex, ...Hex[]], data, strict: false });
    const { settledThroughRound, previousSettledThroughRound, blockHeight } = event.args as unknown as Record<
      string,
      bigint
    >;
    const [through, previous] = [Number(settledThroughRound), Number(previousSettledThroughRound)];
    batches.settled.push({ through, previous, completedBlocks: Number(blockHeight) - height });
    batches.sent.set(through, { transactionHash, block: Number(blockNumber) });
    height = Number(blockHeight);
  }
  return batches;
}
