/**
 * A chain with many events, and the peer of the first sync: a loop of viem's getLogs that decodes, or also stores in
 * SQLite.
 */

import BetterSqlite3 from "better-sqlite3";
import {
  type AbiEvent,
  type AbiParameter,
  createPublicClient,
  decodeAbiParameters,
  http,
  numberToHex,
  toEventSelector,
} from "viem";
import { call } from "../../demo/chain/anvil.ts";
import { callData } from "../../demo/chain/calls.ts";
import * as abis from "../../src/chain/abi.ts";
import { type World } from "../support/chain/world.ts";

export interface Range {
  readonly from: bigint;
  readonly to: bigint;
}

const EVENTS = Object.values(abis).flatMap((abi) => abi.filter((item) => item.type === "event")) as AbiEvent[];

/** Decodes with a map of topics and inserts the events of each range into SQLite in one transaction. */
export async function storingLoop(world: World, ranges: readonly Range[], path: string): Promise<number> {
  const db = new BetterSqlite3(path);
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = NORMAL");
  db.exec(`CREATE TABLE event (block INTEGER, log_index INTEGER, transaction_index INTEGER, block_hash TEXT,
    transaction_hash TEXT, address TEXT, name TEXT, arguments TEXT, PRIMARY KEY (block, log_index)) WITHOUT ROWID;
    CREATE INDEX event_by_name ON event (address, name, block, log_index)`);
  const insert = db.prepare("INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  const store = db.transaction((rows: readonly unknown[][]) => rows.forEach((row) => insert.run(...row)));
  try {
    return await bareLoop(world, ranges, store);
  } finally {
    db.close();
  }
}

/** Reads and decodes the events with viem's decoder, or with a map of topics if they are stored. Returns their count. */
export async function bareLoop(
  world: World,
  ranges: readonly Range[],
  store?: (rows: readonly unknown[][]) => void,
): Promise<number> {
  const client = createPublicClient({
    cacheTime: 0,
    transport: http(world.url, { retryCount: 0, timeout: 60_000, maxResponseBodySize: 64 * 2 ** 20 }),
  });
  const { factory, core, proxyAdmin, operatorTimelock, economy } = world.deployment;
  const economic = economy === undefined ? [] : [economy.mining, economy.collection];
  const address = [factory, core, proxyAdmin, operatorTimelock, ...economic];
  const known = new Map(EVENTS.map((event) => [toEventSelector(event), event]));
  let events = 0;
  for (const { from, to } of ranges) {
    if (store === undefined) {
      events += (await client.getLogs({ address, events: EVENTS, fromBlock: from, toBlock: to })).length;
      continue;
    }
    const rows: unknown[][] = [];
    for (const log of await client.getLogs({ address, fromBlock: from, toBlock: to })) {
      const [topic0, ...topics] = log.topics;
      const event = topic0 === undefined ? undefined : known.get(topic0);
      if (event === undefined) continue;
      const indexed = event.inputs.filter((input) => input.indexed === true);
      const values = [
        ...indexed.flatMap((input, index) => decodeAbiParameters([input as AbiParameter], topics[index] ?? "0x")),
        ...decodeAbiParameters(event.inputs.filter((input) => input.indexed !== true) as AbiParameter[], log.data),
      ];
      events++;
      const { blockNumber, logIndex, transactionIndex, blockHash, transactionHash } = log;
      const texts = JSON.stringify(values.map(String));
      rows.push([blockNumber, logIndex, transactionIndex, blockHash, transactionHash, log.address, event.name, texts]);
    }
    store(rows);
  }
  return events;
}

const EVENTS_IN_A_TRANSACTION = 30;

/** Adds WorkRecorded events, spread evenly over the blocks. */
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
