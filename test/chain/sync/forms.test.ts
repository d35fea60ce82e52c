// Values of a node that no body can hold (docs/spec/chain.md#forms): each is noticed before anything of it is stored.
import { encodeAbiParameters, type Hex, stringToHex, toFunctionSelector } from "viem";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { eventsFrom } from "../../../src/chain/store/read-events.ts";
import { economyOf, reader } from "../../support/chain/harness.ts";
import { SimulatedChain } from "../../support/chain/simulated-chain.ts";
import { fetchFrom, SimulatedNode } from "../../support/chain/simulated-node.ts";

type Lie = SimulatedNode["lie"];

const START = 1_766_000_400;
const UNAVAILABLE = ["indexer_unavailable", "indexer_unavailable"];
const AVAILABLE = ["available", "available"];
const ECONOMY_UNAVAILABLE = ["available", "indexer_unavailable"];
const MISMATCH = ["indexer_mismatch", "indexer_mismatch"];

let chain: SimulatedChain;
let node: SimulatedNode;
beforeEach(() => {
  chain = new SimulatedChain(0, START);
  grow(30);
  serve(true);
  vi.stubGlobal(
    "fetch",
    fetchFrom(() => [node]),
  );
});
afterEach(() => void vi.unstubAllGlobals());

function grow(blocks: number): void {
  const settle = { is: "settle", rounds: 16n, activeRounds: 9n, work: 2_500n } as const;
  for (let block = 0; block < blocks; block++) {
    const actions = block === 0 ? [] : block === 5 || block === 100 ? [settle] : [];
    chain.branch = chain.branch.mined(chain, chain.branch.head.timestamp + 12, actions);
  }
}

function serve(hasLogTimestamps: boolean): void {
  node = new SimulatedNode("http://node.invalid", chain, hasLogTimestamps);
}

const header =
  (change: object | ((block: Record<string, string>) => object)): Lie =>
  (result, method) =>
    method === "eth_getBlockByNumber" && result !== null
      ? { ...result, ...(typeof change === "function" ? change(result) : change) }
      : result;
const logs =
  (change: object | ((log: Record<string, string>) => object)): Lie =>
  (result, method) =>
    method === "eth_getLogs"
      ? result.map((log: Record<string, string>) => ({
          ...log,
          ...(typeof change === "function" ? change(log) : change),
        }))
      : result;
const code =
  (of: () => string, text: string): Lie =>
  (result, method, [address]) =>
    method === "eth_getCode" && address === of() ? text : result;
const slots =
  (change: (word: string) => string): Lie =>
  (result, method) =>
    method === "eth_getStorageAt" ? change(result) : result;
const view =
  (signature: string, data: string): Lie =>
  (result, method, [call]) =>
    method === "eth_call" && call.data.startsWith(toFunctionSelector(signature)) ? data : result;
const word = (value: bigint) => `0x${value.toString(16).padStart(64, "0")}`;
const text = (bytes: Hex) => encodeAbiParameters([{ type: "bytes" }], [bytes]);
const scaled = (factor: bigint) => (of: Record<string, string>) => {
  const name = "blockTimestamp" in of ? "blockTimestamp" : "timestamp";
  return { [name]: `0x${(BigInt(of[name] ?? 0) * factor).toString(16)}` };
};
const factory = () => chain.deployment.factory;

describe("the pass fails, nothing is stored, and an honest node is read afterwards", () => {
  test.each<[string, Lie, string[]?]>([
    ["a header's time in milliseconds", header(scaled(1000n)), UNAVAILABLE],
    ["a header's time in nanoseconds", header(scaled(1_000_000_000n)), UNAVAILABLE],
    ["a header's time of 0x0", header({ timestamp: "0x0" }), UNAVAILABLE],
    ["a header without a time", header({ timestamp: null }), UNAVAILABLE],
    ["a log's time in milliseconds", logs(scaled(1000n)), UNAVAILABLE],
    ["a log's time that is not its header's", logs({ blockTimestamp: "0x6942a4f1" }), UNAVAILABLE],
    ["a log's time as a number", logs({ blockTimestamp: START }), UNAVAILABLE],
    ["a log's transaction index above 32 bits", logs({ transactionIndex: "0x100000000" }), UNAVAILABLE],
    ["a log's index above 32 bits", logs({ logIndex: "0x100000000" }), UNAVAILABLE],
    ["a log's block number above 53 bits", logs({ blockNumber: "0x20000000000000" }), UNAVAILABLE],
    [
      "a log's block number with a leading zero",
      logs((log) => ({ blockNumber: log.blockNumber?.replace("0x", "0x0") })),
    ],
    ["a log's data with an odd number of digits", logs((log) => ({ data: `${log.data}0` })), UNAVAILABLE],
    ["a log's data with an upper-case prefix", logs((log) => ({ data: `0X${log.data?.slice(2)}` })), UNAVAILABLE],
    [
      "a log's hash with an upper-case prefix",
      logs((log) => ({ transactionHash: `0X${log.transactionHash?.slice(2)}` })),
    ],
    ["a log's short topic", logs((log) => ({ topics: [...(log.topics ?? []), "0x01"] })), UNAVAILABLE],
    [
      "a head above 53 bits",
      (result, method) => (method === "eth_blockNumber" ? "0x20000000000000" : result),
      UNAVAILABLE,
    ],
    ["code that is a quantity", code(factory, "0x0"), UNAVAILABLE],
    ["code with an odd number of digits", code(factory, "0x600"), UNAVAILABLE],
    ["code with an upper-case prefix", code(factory, "0X6001"), UNAVAILABLE],
    ["a slot that is a quantity", slots(() => "0x0"), UNAVAILABLE],
    ["a slot with more than an address", slots((slot) => `0xff${slot.slice(4)}`), UNAVAILABLE],
    ["a result with an odd number of digits", view("function paused()", "0x0"), UNAVAILABLE],
    ["a uint64 of 65 bits", view("function maxRoundsPerBatch()", word(2n ** 64n)), UNAVAILABLE],
    ["an address of 21 bytes", view("function guardian()", word(2n ** 160n)), UNAVAILABLE],
    ["a genesis that is no instant", view("function genesisTimestamp()", word(600n * 2n ** 50n)), UNAVAILABLE],
    ["a version of 257 bytes", view("function codeVersion()", text(stringToHex("x".repeat(257)))), UNAVAILABLE],
    ["a symbol of 257 bytes", view("function symbol()", text(stringToHex("x".repeat(257)))), ECONOMY_UNAVAILABLE],
    ["a symbol that is no UTF-8", view("function symbol()", text("0xff")), ECONOMY_UNAVAILABLE],
    ["a reward above 256 bits", view("function baselineRewardPerBlock()", word(2n ** 255n)), ECONOMY_UNAVAILABLE],
    ["no code at the factory", code(factory, "0x"), MISMATCH],
  ])("%s", async (_, lie, statuses = UNAVAILABLE) => {
    using read = reader(chain.deployment, [node.url]);
    node.lie = lie;
    await read.poll();
    await read.poll();
    expect(read.statuses()).toEqual(statuses);
    if (statuses === UNAVAILABLE) expect(eventsFrom(read.chain.db, 0n)).toEqual([]);
    node.lie = (result) => result;
    await read.poll();
    expect(read.statuses()).toEqual(AVAILABLE);
  });
});

test("the operator sees the wrong time", async () => {
  using read = reader(chain.deployment, [node.url]);
  node.lie = header(scaled(1000n));
  await read.poll();
  const message = expect.stringMatching(/^the block time 1766000\d{6} is no instant in seconds before the year 10000$/);
  expect(read.events).toContainEqual(expect.objectContaining({ kind: "failed", message }));
});

describe("the values of an honest node stay as they are", () => {
  test.each([
    ["a U+FEFF at the start", "\uFEFFNOON"],
    ["NUL, an emoji and a mark from right to left", "\0🌓\u200F"],
    ["256 bytes", "é".repeat(128)],
    ["nothing", ""],
  ])("a symbol with %s", async (_, symbol) => {
    using read = reader(chain.deployment, [node.url]);
    node.lie = view("function symbol()", text(stringToHex(symbol)));
    expect(economyOf(await read.poll()).symbol).toBe(symbol);
  });

  test("a log's time of 0x0 is unknown: the header's counts, near the head and far from it", async () => {
    grow(200);
    using read = reader(chain.deployment, [node.url]);
    node.lie = logs({ blockTimestamp: "0x0" });
    await read.poll();
    expect(read.statuses()).toEqual(AVAILABLE);
    const events = eventsFrom(read.chain.db, 0n);
    const times = events.map(({ blockNumber }) => (chain.branch.blocks[Number(blockNumber)]?.timestamp ?? 0) * 1000);
    expect(events.map(({ blockTimestamp }) => blockTimestamp)).toEqual(times);
    expect(events.length).toBeGreaterThan(3);
  });
});
