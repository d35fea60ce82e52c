/**
 * The state at one block in one JSON-RPC batch: slots, code, the view calls (one multicall where the chain has
 * Multicall3) and the block itself, so that its hash belongs to the same answer (docs/spec/chain.md#reading).
 */
import {
  type Abi,
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  getAddress,
  type Hex,
  keccak256,
  multicall3Abi,
  stringToHex,
} from "viem";
import { CORE_ABI, MINING_ABI, PROXY_ADMIN_ABI, TIMELOCK_ABI, TOKEN_ABI } from "../abi.ts";
import type { Deployment } from "../deployment.ts";
import { type Block, blockCall, ContradictingAnswer, parseBlock } from "../rpc/node-answers.ts";
import { RpcError } from "../rpc/rpc-error.ts";
import type { RpcCall, RpcNode } from "../rpc/rpc-node.ts";

export const MULTICALL3: Address = "0xcA11bde05977b3631167028862bE2a173976CA11";
export const ADMIN_SLOT = "0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103";
export const IMPLEMENTATION_SLOT = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";
export const PROPOSER_ROLE = keccak256(stringToHex("PROPOSER_ROLE"));

/** Everything read at one block. A view that failed is absent from `views`. */
export interface Reading {
  readonly block: Block;
  /** Contracts of the deployment (by their keys in the file) that have code. */
  readonly withCode: ReadonlySet<string>;
  readonly proxyAdminSlot: Address;
  readonly implementation: Address;
  readonly runtimeHash: Hex;
  /** Mining's ERC-1967 implementation slot; the zero address where it is empty. */
  readonly miningSlot: Address;
  /** Results of the view functions, as `contract.function`. */
  readonly views: ReadonlyMap<string, unknown>;
  /** Blocks asked for besides, by number. */
  readonly blocks: ReadonlyMap<bigint, Block>;
}

export interface ReadingRequest {
  readonly block: bigint;
  /** The implementation named by the newest Upgraded log, whose code is asked for; null where no code is wanted. */
  readonly expectedImplementation: string | undefined | null;
  readonly multicall: boolean;
  /** Other blocks whose hash and timestamp are wanted. */
  readonly blocks: readonly bigint[];
}

interface ViewCall {
  readonly name: string;
  readonly to: Address;
  readonly abi: Abi;
  readonly functionName: string;
  readonly data: Hex;
}

export const ZERO_ADDRESS: Address = "0x0000000000000000000000000000000000000000";
const CORE_CODE = ["factory", "core", "proxyAdmin", "operatorTimelock"] as const;
const ECONOMY_CODE = ["mining", "token", "tokenFactory", "collection"] as const;

/** Throws `RpcError` or `ContradictingAnswer` where the node's answer is none. */
export async function readState(node: RpcNode, deployment: Deployment, request: ReadingRequest): Promise<Reading> {
  const first = await readOnce(node, deployment, request, request.expectedImplementation ?? ZERO_ADDRESS);
  const { implementation } = first;
  if (request.expectedImplementation === null) return first;
  if (implementation === request.expectedImplementation || implementation === ZERO_ADDRESS) return first;
  // The slot says another than the logs: the code has to come from the same answer as the slot.
  const second = await readOnce(node, deployment, request, implementation);
  if (second.implementation !== implementation) throw new ContradictingAnswer("the implementation slot moved");
  return second;
}

async function readOnce(
  node: RpcNode,
  deployment: Deployment,
  request: ReadingRequest,
  implementation: string,
): Promise<Reading> {
  const at = `0x${request.block.toString(16)}`;
  const views = viewCalls(deployment);
  const contracts = codeAddresses(deployment);
  const mining = deployment.economy?.mining;
  const slot = (address: string, key: string): RpcCall => ({ method: "eth_getStorageAt", params: [address, key, at] });
  const code = (address: string): RpcCall => ({ method: "eth_getCode", params: [address, at] });
  const state = [
    blockCall(request.block),
    slot(deployment.core, ADMIN_SLOT),
    slot(deployment.core, IMPLEMENTATION_SLOT),
    slot(mining ?? deployment.core, IMPLEMENTATION_SLOT),
    code(implementation),
    ...contracts.map(([, address]) => code(address)),
  ];
  const calls = request.multicall ? [multicall(views, at)] : views.map((view) => ethCall(view.to, view.data, at));
  const answers = await node.batchSettled([...state, ...calls, ...request.blocks.map(blockCall)]);
  const [block, adminSlot, implementationSlot, miningSlot, runtime, ...rest] = answers;
  for (const answer of answers.slice(0, state.length)) if (answer instanceof RpcError) throw answer;
  const codes = rest.slice(0, contracts.length);
  const results = rest.slice(contracts.length, contracts.length + calls.length);
  const blocks = rest.slice(contracts.length + calls.length);
  return {
    block: parseBlock(block, request.block),
    withCode: new Set(contracts.filter((_, index) => bytes(codes[index]) !== "0x").map(([name]) => name)),
    proxyAdminSlot: slotAddress(adminSlot),
    implementation: slotAddress(implementationSlot),
    runtimeHash: keccak256(bytes(runtime)),
    miningSlot: mining === undefined ? ZERO_ADDRESS : slotAddress(miningSlot),
    views: decodeViews(views, request.multicall ? multicallResults(results[0], views.length) : results),
    blocks: new Map(request.blocks.map((number, index) => [number, parseBlock(blocks[index], number)])),
  };
}

/** The mining implementation that is published: the slot's, mining itself where the slot is empty. */
export function miningImplementation(mining: string, { miningSlot }: Reading): string {
  return miningSlot === ZERO_ADDRESS ? mining : miningSlot;
}

function codeAddresses(deployment: Deployment): (readonly [string, Address])[] {
  const { economy } = deployment;
  return [
    ...CORE_CODE.map((name) => [name, deployment[name]] as const),
    ...(economy === undefined ? [] : ECONOMY_CODE.map((name) => [name, economy[name]] as const)),
  ];
}

function viewCalls(deployment: Deployment): ViewCall[] {
  const { core, proxyAdmin, operatorTimelock, operatorProposer, economy } = deployment;
  return [
    ...callsOf("core", core, CORE_ABI),
    ...callsOf("proxyAdmin", proxyAdmin, PROXY_ADMIN_ABI, ["owner"]),
    ...callsOf("timelock", operatorTimelock, TIMELOCK_ABI, ["hasRole"], [PROPOSER_ROLE, operatorProposer]),
    ...(economy === undefined
      ? []
      : [...callsOf("mining", economy.mining, MINING_ABI), ...callsOf("token", economy.token, TOKEN_ABI)]),
  ];
}

/** The named functions of an interface, all of them by default. */
function callsOf(
  contract: string,
  to: Address,
  abi: Abi,
  names?: readonly string[],
  args?: readonly unknown[],
): ViewCall[] {
  const functions = names ?? abi.flatMap((item) => (item.type === "function" ? [item.name] : []));
  return functions.map((functionName) => {
    const data = encodeFunctionData({ abi, functionName, ...(args === undefined ? {} : { args }) });
    return { name: `${contract}.${functionName}`, to, abi, functionName, data };
  });
}

function ethCall(to: Address, data: Hex, at: string): RpcCall {
  return { method: "eth_call", params: [{ to, data }, at] };
}

function multicall(views: readonly ViewCall[], at: string): RpcCall {
  const calls = views.map(({ to, data }) => ({ target: to, allowFailure: true, callData: data }));
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: "aggregate3", args: [calls] });
  return ethCall(MULTICALL3, data, at);
}

function multicallResults(answer: unknown, count: number): unknown[] {
  if (answer instanceof RpcError) throw answer;
  const results = decodeFunctionResult({ abi: multicall3Abi, functionName: "aggregate3", data: bytes(answer) });
  if (results.length !== count) throw new ContradictingAnswer(`${results.length} of ${count} calls were answered`);
  return results.map(({ success, returnData }) => (success ? returnData : undefined));
}

function decodeViews(views: readonly ViewCall[], results: readonly unknown[]): ReadonlyMap<string, unknown> {
  const decoded = new Map<string, unknown>();
  views.forEach(({ name, abi, functionName }, index) => {
    const data = results[index];
    if (typeof data !== "string") return;
    try {
      decoded.set(name, decodeFunctionResult({ abi, functionName, data: data as Hex }));
    } catch {
      // Left out: whoever needs it says that it is missing.
    }
  });
  return decoded;
}

function slotAddress(value: unknown): Address {
  const word = bytes(value).slice(2).padStart(64, "0");
  return getAddress(`0x${word.slice(24)}`);
}

function bytes(value: unknown): Hex {
  if (typeof value !== "string" || !/^0x[0-9a-fA-F]*$/.test(value))
    throw new ContradictingAnswer("no hexadecimal bytes");
  return value.toLowerCase() as Hex;
}
