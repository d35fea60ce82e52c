/** Fills a test chain with WorkRecorded events, spread evenly over its blocks. */
import { numberToHex } from "viem";
import { call } from "../../../../demo/chain/anvil.ts";
import { callData } from "../../../../demo/chain/calls.ts";
import type { World } from "../../../../demo/chain/deploy.ts";

const EVENTS_IN_A_TRANSACTION = 30;

export async function fillWithWork(world: World, size: { blocks: number; events: number }): Promise<void> {
  const transactions = size.events / EVENTS_IN_A_TRANSACTION;
  const blocksEach = Math.floor(size.blocks / transactions);
  const work = Array.from({ length: EVENTS_IN_A_TRANSACTION }, (_, index) => BigInt(index) * 7n);
  for (let transaction = 0; transaction < transactions; transaction++) {
    const first = BigInt(transaction * EVENTS_IN_A_TRANSACTION + 1);
    const data = callData("Core", "recordWork", [first, work]);
    const from = world.people.reporter;
    await call(world.url, "eth_sendTransaction", [
      { from, to: world.deployment.core, data, gas: "0x1e8480", gasPrice: "0x77359400" },
    ]);
    if (blocksEach > 1) await call(world.url, "anvil_mine", [numberToHex(blocksEach - 1), "0xc"]);
  }
  await call(world.url, "anvil_mine", ["0xc", "0xc"]);
}
