/** The peer: a bare loop of viem's getLogs that decodes and keeps nothing. */
import { type AbiEvent, type AbiParameter, createPublicClient, decodeAbiParameters, http, toEventSelector } from "viem";
import * as abis from "../../src/chain/abi.ts";
import type { World } from "../../demo/chain/deploy.ts";

export interface Range {
  readonly from: bigint;
  readonly to: bigint;
}

const EVENTS = Object.values(abis).flatMap((abi) => abi.filter((item) => item.type === "event")) as AbiEvent[];

/** Events decoded: by a map from topic0 to the event's inputs, or by viem's own decoding. */
export async function bareLoop(world: World, ranges: readonly Range[], how: "map" | "viem"): Promise<number> {
  const client = createPublicClient({
    cacheTime: 0,
    transport: http(world.url, { retryCount: 0, timeout: 60_000, maxResponseBodySize: 64 * 2 ** 20 }),
  });
  const { factory, core, proxyAdmin, operatorTimelock, economy } = world.deployment;
  const economic = economy === undefined ? [] : [economy.mining, economy.collection];
  const address = [factory, core, proxyAdmin, operatorTimelock, ...economic];
  const inputs = new Map(EVENTS.map((event) => [toEventSelector(event), event.inputs]));
  let events = 0;
  for (const { from, to } of ranges) {
    if (how === "viem") {
      events += (await client.getLogs({ address, events: EVENTS, fromBlock: from, toBlock: to })).length;
      continue;
    }
    for (const log of await client.getLogs({ address, fromBlock: from, toBlock: to })) {
      const [topic0, ...topics] = log.topics;
      const known = topic0 === undefined ? undefined : inputs.get(topic0);
      if (known === undefined) continue;
      const indexed = known.filter((input) => input.indexed === true);
      indexed.forEach((input, index) => decodeAbiParameters([input as AbiParameter], topics[index] ?? "0x"));
      decodeAbiParameters(known.filter((input) => input.indexed !== true) as AbiParameter[], log.data);
      events++;
    }
  }
  return events;
}
