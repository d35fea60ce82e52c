/**
 * Reads the state at one block in one JSON-RPC batch: slots, code, view calls and the block itself, so that its hash
 * belongs to the same response (docs/spec/chain.md#reading). Calls that the node refuses are left out, so that each
 * check depends only on the values that it needs.
 */
import { type Address, getAddress, type Hex, keccak256 } from "viem";
import type { Deployment } from "../deployment.ts";
import { type Block, blockCall, ContradictingResponse, isHexBytes, parseBlock } from "../rpc/node-responses.ts";
import { RpcError } from "../rpc/rpc-error.ts";
import type { RpcCall, RpcNode } from "../rpc/rpc-node.ts";
import { rpcCalls, type ViewResults, viewCalls, viewResults } from "./view-calls.ts";

export const ADMIN_SLOT = "0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103";
export const IMPLEMENTATION_SLOT = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";
export const ZERO_ADDRESS: Address = "0x0000000000000000000000000000000000000000";
const CORE_CODE = ["factory", "core", "proxyAdmin", "operatorTimelock"] as const;
const ECONOMY_CODE = ["mining", "token", "tokenFactory", "collection"] as const;

/** The state at one block. A value that the node refused is undefined or absent. */
export interface Reading {
  readonly block: Block;
  /** True for a contract with code, by the contracts' keys in the deployment file. */
  readonly hasCode: ReadonlyMap<string, boolean>;
  readonly proxyAdminSlot: Address | undefined;
  readonly implementation: Address | undefined;
  readonly runtimeHash: Hex | undefined;
  /** Mining's ERC-1967 implementation slot; the zero address if it is empty. */
  readonly miningSlot: Address | undefined;
  readonly views: ViewResults;
  /** Other requested blocks, by number. */
  readonly blocks: ReadonlyMap<bigint, Block>;
}

/** A reading that has every published value. */
export type WholeReading = Reading & {
  readonly proxyAdminSlot: Address;
  readonly implementation: Address;
  readonly runtimeHash: Hex;
  readonly miningSlot: Address;
};

export interface ReadingRequest {
  readonly block: bigint;
  /** The implementation named by the newest Upgraded log, whose code is requested; null requests no code. */
  readonly expectedImplementation: string | undefined | null;
  readonly multicall: boolean;
  /** Other blocks whose headers are requested. */
  readonly blocks: readonly bigint[];
}

/** Reads the state. Throws `RpcError` or `ContradictingResponse`. */
export async function readState(node: RpcNode, deployment: Deployment, request: ReadingRequest): Promise<Reading> {
  const first = await readOnce(node, deployment, request, request.expectedImplementation ?? ZERO_ADDRESS);
  const { implementation } = first;
  if (request.expectedImplementation === null || implementation === undefined) return first;
  if (implementation === request.expectedImplementation || implementation === ZERO_ADDRESS) return first;
  // The slot differs from the logs: read again, so that code and slot come from the same response.
  const second = await readOnce(node, deployment, request, implementation);
  if (second.implementation !== implementation) throw new ContradictingResponse("the implementation slot changed");
  return second;
}

/** Throws `ContradictingResponse` if a published value is missing. */
export function wholeReading(reading: Reading): WholeReading {
  for (const name of ["proxyAdminSlot", "implementation", "runtimeHash", "miningSlot"] as const) {
    if (reading[name] === undefined) throw new ContradictingResponse(`no usable response for ${name}`);
  }
  requireCode(reading, CORE_CODE);
  return reading as WholeReading;
}

/** Throws `ContradictingResponse` if the node did not return the code of an economy contract. */
export function requireEconomyCode(reading: Reading): void {
  requireCode(reading, ECONOMY_CODE);
}

/** Returns the published mining implementation: the slot's address, or mining itself if the slot is empty. */
export function miningImplementation(mining: string, { miningSlot }: WholeReading): string {
  return miningSlot === ZERO_ADDRESS ? mining : miningSlot;
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
    slot(deployment.core, ADMIN_SLOT),
    slot(deployment.core, IMPLEMENTATION_SLOT),
    slot(mining ?? deployment.core, IMPLEMENTATION_SLOT),
    code(implementation),
  ];
  const codes = contracts.map(([, address]) => code(address));
  const calls = rpcCalls(views, at, request.multicall);
  const headers = [request.block, ...request.blocks];
  const responses = await node.batchSettled([...headers.map(blockCall), ...state, ...codes, ...calls]);
  const parts = [headers.length, state.length, codes.length, calls.length].map((count) => responses.splice(0, count));
  const [blocks, slots, withCode, results] = parts as [unknown[], unknown[], unknown[], unknown[]];
  const refused = blocks.find((response) => response instanceof RpcError);
  if (refused !== undefined) throw refused;
  const parsed = headers.map((number, index) => parseBlock(blocks[index], number));
  const [adminSlot, implementationSlot, miningSlot, runtime] = slots.map((response) => given(response));
  return {
    block: parsed[0] as Block,
    hasCode: new Map(
      contracts.flatMap(([name], index) => {
        const bytes = given(withCode[index]);
        return bytes === undefined ? [] : [[name, bytes !== "0x"] as const];
      }),
    ),
    proxyAdminSlot: slotAddress(adminSlot),
    implementation: slotAddress(implementationSlot),
    runtimeHash: runtime === undefined ? undefined : keccak256(runtime),
    miningSlot: mining === undefined ? ZERO_ADDRESS : slotAddress(miningSlot),
    views: viewResults(views, results, request.multicall),
    blocks: new Map(parsed.slice(1).map((block) => [block.number, block])),
  };
}

function codeAddresses(deployment: Deployment): (readonly [string, Address])[] {
  const { economy } = deployment;
  return [
    ...CORE_CODE.map((name) => [name, deployment[name]] as const),
    ...(economy === undefined ? [] : ECONOMY_CODE.map((name) => [name, economy[name]] as const)),
  ];
}

function requireCode({ hasCode }: Reading, names: readonly string[]): void {
  const unknown = names.find((name) => !hasCode.has(name));
  if (unknown !== undefined) throw new ContradictingResponse(`no usable response for the code at ${unknown}`);
}

/** Returns undefined if the node refused the call or returned no bytes. */
function given(response: unknown): Hex | undefined {
  return isHexBytes(response) ? (response.toLowerCase() as Hex) : undefined;
}

function slotAddress(word: Hex | undefined): Address | undefined {
  return word && getAddress(`0x${word.slice(2).padStart(64, "0").slice(24)}`);
}
