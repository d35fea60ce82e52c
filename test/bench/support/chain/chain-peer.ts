/** The baseline of the chain bench: a viem getLogs loop that decodes events and optionally stores them in SQLite. */
import BetterSqlite3 from "better-sqlite3";
import { type AbiEvent, type AbiParameter, createPublicClient, decodeAbiParameters, http, toEventSelector } from "viem";
import type { World } from "../../../../demo/chain/deploy.ts";
import * as abis from "../../../../src/chain/abi.ts";

export interface Range {
  readonly from: bigint;
  readonly to: bigint;
}

const EVENTS = Object.values(abis).flatMap((abi) => abi.filter((item) => item.type === "event")) as AbiEvent[];

/** Like `bareLoop` with the topic0 map, but inserts the events of each range into SQLite in one transaction. */
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
    return await bareLoop(world, ranges, "map", store);
  } finally {
    db.close();
  }
}

/** Reads and decodes the events, with a topic0 map or with viem's decoder. Returns their count. */
export async function bareLoop(
  world: World,
  ranges: readonly Range[],
  decoder: "map" | "viem",
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
    if (decoder === "viem") {
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
      if (store === undefined) continue;
      const { blockNumber, logIndex, transactionIndex, blockHash, transactionHash } = log;
      const texts = JSON.stringify(values.map(String));
      rows.push([blockNumber, logIndex, transactionIndex, blockHash, transactionHash, log.address, event.name, texts]);
    }
    store?.(rows);
  }
  return events;
}
