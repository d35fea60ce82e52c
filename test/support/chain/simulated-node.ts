/**
 * Simulated JSON-RPC nodes behind a replacement of `fetch`, without network. Each has its own branch, delay and faults.
 */
import { type Abi, type Address, encodeFunctionResult, type Hex, toFunctionSelector } from "viem";
import { CORE_ABI, MINING_ABI, PROXY_ADMIN_ABI, TIMELOCK_ABI, TOKEN_ABI } from "../../../src/chain/abi.ts";
import { address } from "./chain-state.ts";
import {
  BASELINE_REWARD,
  type Branch,
  hashOf,
  type SimulatedBlock,
  type SimulatedChain,
  type SimulatedLog,
  WORK_PER_BLOCK,
} from "./simulated-chain.ts";

/** ERC-1967 storage slots. */
const ADMIN_SLOT = "0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103";
const IMPLEMENTATION_SLOT = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";

/** Fewer than the blocks whose blooms a pass reads (docs/spec/chain.md#blooms). */
const HIDDEN_BLOCKS = 60;

interface Call {
  readonly id: unknown;
  readonly method: string;
  // biome-ignore lint/suspicious/noExplicitAny: each method has its own parameters.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly params: readonly any[];
}

export class SimulatedNode {
  readonly url: string;
  chain: SimulatedChain;
  /** A fork to serve. Undefined means the chain's current main branch. */
  fork: Branch | undefined;
  /** Newest blocks that the node does not have yet. */
  lag = 0;
  fault: "none" | "silent" | "busy" | "stateless" = "none";
  /**
   * If true, the next eth_getLogs response omits the newest logs: the node knows the blocks but has not indexed their
   * logs.
   */
  hidesLogs = false;
  /** Replaces the result of a call. */
  // biome-ignore lint/suspicious/noExplicitAny: each method has its own result.
  // oxlint-disable-next-line typescript/no-explicit-any
  lie: (result: any, method: string, params: Call["params"]) => unknown = (result) => result;
  /** If true, logs carry blockTimestamp. */
  readonly hasLogTimestamps: boolean;

  constructor(url: string, chain: SimulatedChain, hasLogTimestamps: boolean) {
    this.url = url;
    this.chain = chain;
    this.hasLogTimestamps = hasLogTimestamps;
  }

  get blocks(): readonly SimulatedBlock[] {
    const { blocks } = this.fork ?? this.chain.branch;
    return blocks.slice(0, Math.max(1, blocks.length - this.lag));
  }

  /** True if it serves the complete main branch of `chain` without faults. */
  isHealthy(chain: SimulatedChain): boolean {
    const isOwn = this.chain === chain && (this.fork === undefined || this.fork === chain.branch);
    return isOwn && this.lag === 0 && this.fault === "none" && !this.hidesLogs;
  }

  heal(chain: SimulatedChain): void {
    this.chain = chain;
    this.fork = undefined;
    this.lag = 0;
    this.fault = "none";
    this.hidesLogs = false;
  }

  respond(text: string): Response {
    if (this.fault === "silent") {
      const cause = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
      throw new TypeError("fetch failed", { cause });
    }
    if (this.fault === "busy") return new Response("no backend is healthy", { status: 503 });
    const body = JSON.parse(text) as Call | Call[];
    const blocks = this.blocks;
    const replies = (Array.isArray(body) ? body : [body]).map((call) => this.#reply(call, blocks));
    return Response.json(Array.isArray(body) ? replies : replies[0]);
  }

  #reply({ id, method, params }: Call, blocks: readonly SimulatedBlock[]): object {
    const result = this.#result(method, params, blocks);
    return result === undefined
      ? { jsonrpc: "2.0", id, error: { code: -32_000, message: "header not found" } }
      : { jsonrpc: "2.0", id, result: this.lie(result, method, params) };
  }

  /** Undefined if the block or its state is missing. */
  #result(method: string, params: Call["params"], blocks: readonly SimulatedBlock[]): unknown {
    const { deployment } = this.chain;
    if (method === "eth_chainId") return quantity(deployment.chainId);
    if (method === "eth_blockNumber") return quantity(blocks.length - 1);
    if (method === "eth_getBlockByNumber") return headerOf(blocks[Number(params[0])]);
    if (method === "eth_getLogs") return this.#logs(params[0], blocks);
    if (method === "eth_getCode" && params[1] === "latest") return "0x";
    const block = blocks[Number(params.at(-1))];
    if (block === undefined || this.fault === "stateless") return undefined;
    if (method === "eth_getCode") return codeOf(params[0], block);
    if (method === "eth_getStorageAt") return slotOf(params[0], params[1], block);
    return callResults(block).get(`${params[0].to.toLowerCase()} ${params[0].data.slice(0, 10)}`);
  }

  #logs(filter: Readonly<Record<string, never>>, blocks: readonly SimulatedBlock[]): object[] {
    const withLogs = this.hidesLogs ? blocks.slice(0, -HIDDEN_BLOCKS) : blocks;
    this.hidesLogs = false;
    const {
      address: addresses,
      topics,
      fromBlock,
      toBlock,
    } = filter as unknown as {
      readonly address: readonly string[];
      readonly topics: readonly (readonly string[])[];
      readonly fromBlock: string;
      readonly toBlock: string;
    };
    const matches = (log: SimulatedLog) =>
      addresses.includes(log.address.toLowerCase()) && topics[0]?.includes(log.topics[0] ?? "") === true;
    return withLogs
      .slice(Number(fromBlock), Number(toBlock) + 1)
      .flatMap((block) => block.logs.filter(matches).map((log) => this.#rawLog(log, block)));
  }

  #rawLog({ address: from, topics, data, transactionHash, logIndex }: SimulatedLog, block: SimulatedBlock): object {
    return {
      address: from,
      topics,
      data,
      blockNumber: quantity(block.number),
      blockHash: block.hash,
      ...(this.hasLogTimestamps ? { blockTimestamp: quantity(block.timestamp) } : {}),
      transactionHash,
      transactionIndex: quantity(logIndex),
      logIndex: quantity(logIndex),
    };
  }
}

/** A replacement of `fetch` that routes each request to the node with its URL. */
export function fetchFrom(nodes: () => Iterable<SimulatedNode>): typeof fetch {
  return async (input, init) => {
    const url = String(input);
    const node = [...nodes()].find((one) => url.startsWith(one.url));
    if (node === undefined) throw new Error(`no simulated node has the URL ${url}`);
    return node.respond(String(init?.body));
  };
}

function quantity(number: number): string {
  return `0x${number.toString(16)}`;
}

function headerOf(block: SimulatedBlock | undefined): object | null {
  if (block === undefined) return null;
  const { number, hash, timestamp, bloom } = block;
  return { number: quantity(number), hash, timestamp: quantity(timestamp), logsBloom: bloom };
}

function codeOf(of: string, { chain, state, number }: SimulatedBlock): string {
  const { deploymentBlock, factory, core, proxyAdmin, operatorTimelock } = chain.deployment;
  if (of.toLowerCase() === state.implementation.toLowerCase()) return `0x60${of.slice(2).toLowerCase()}`;
  const known = [factory, core, proxyAdmin, operatorTimelock, ...Object.values(chain.economy).map(String)];
  return known.includes(of as Address) && number >= deploymentBlock ? "0x6001" : "0x";
}

function slotOf(of: string, slot: string, { chain, state }: SimulatedBlock): string {
  const { core, proxyAdmin } = chain.deployment;
  const value =
    of !== core ? "0x" : slot === ADMIN_SLOT ? proxyAdmin : slot === IMPLEMENTATION_SLOT ? state.implementation : "0x";
  return `0x${value.slice(2).toLowerCase().padStart(64, "0")}`;
}

const results = new WeakMap<SimulatedBlock, ReadonlyMap<string, Hex>>();

/** Call results by contract address and selector. */
function callResults(block: SimulatedBlock): ReadonlyMap<string, Hex> {
  let found = results.get(block);
  if (found === undefined) {
    found = new Map(
      contractsOf(block).flatMap(([to, abi, values]) =>
        abi.flatMap((item) => {
          if (item.type !== "function" || !(item.name in values)) return [];
          const result = encodeFunctionResult({
            abi: [item],
            functionName: item.name,
            result: values[item.name],
          } as never);
          return [[`${to.toLowerCase()} ${toFunctionSelector(item)}`, result] as const];
        }),
      ),
    );
    results.set(block, found);
  }
  return found;
}

function contractsOf({ chain, state }: SimulatedBlock): [Address, Abi, Readonly<Record<string, unknown>>][] {
  const { core, proxyAdmin, operatorTimelock, streamId } = chain.deployment;
  const { economy } = chain;
  const { settledThroughRound, cumulativeWork, nonce, paused, mintedThroughRound } = state;
  const coreValues = {
    streamId,
    genesisTimestamp: BigInt(chain.genesisTimestamp),
    roundDuration: 600n,
    maxWorkPerRound: 10n ** 9n,
    maxRoundsPerBatch: 16n,
    workPerBlock: WORK_PER_BLOCK,
    guardian: address(0x61),
    reporter: address(0x62),
    settledThroughRound,
    cumulativeWork,
    blockHeight: cumulativeWork / WORK_PER_BLOCK,
    currentWork: cumulativeWork % WORK_PER_BLOCK,
    authorizationNonce: nonce,
    paused,
    codeVersion: "1.0.0",
    storageLayoutDigest: hashOf("layout of the Core"),
  };
  const miningValues = {
    core,
    token: economy.token,
    collection: economy.collection,
    mintedThroughRound,
    baselineRewardPerBlock: BASELINE_REWARD,
    rewardWeightActivationRound: 0n,
    implementationVersion: "1.0.0",
    storageLayoutDigest: hashOf("layout of mining"),
  };
  return [
    [core, CORE_ABI, coreValues],
    [proxyAdmin, PROXY_ADMIN_ABI, { owner: operatorTimelock }],
    [operatorTimelock, TIMELOCK_ABI, { hasRole: true }],
    [economy.mining, MINING_ABI, miningValues],
    [economy.token, TOKEN_ABI, { symbol: "NOON", decimals: 18 }],
  ];
}
