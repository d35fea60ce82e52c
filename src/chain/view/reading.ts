/**
 * Reads the state at one block in one JSON-RPC batch: slots, code, view calls and the block itself, so that its hash
 * belongs to the same response (docs/spec/chain.md#reading). One multicall makes all view calls if the chain has
 * Multicall3. Calls that the node refuses are left out, so that each check depends only on the values that it needs.
 */
import {
  type Abi,
  type AbiFunction,
  type Address,
  type ContractFunctionName,
  type ContractFunctionReturnType,
  decodeAbiParameters,
  decodeFunctionResult,
  encodeAbiParameters,
  encodeFunctionData,
  getAbiItem,
  getAddress,
  type Hex,
  hexToBytes,
  keccak256,
  multicall3Abi,
  stringToHex,
} from "viem";
import { elementAt } from "../../values/unknown.ts";
import { CORE_ABI, MINING_ABI, PROXY_ADMIN_ABI, TIMELOCK_ABI, TOKEN_ABI } from "../abi.ts";
import type { Deployment } from "../deployment.ts";
import {
  type Block,
  blockCall,
  bytesOf,
  ContradictingResponse,
  MAX_SECONDS,
  parseBlock,
} from "../rpc/node-responses.ts";
import { RpcError } from "../rpc/rpc-error.ts";
import type { RpcCall, RpcNode } from "../rpc/rpc-node.ts";

const ADMIN_SLOT = "0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103";
export const IMPLEMENTATION_SLOT = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";
/** The zeros before an address in its word. */
const PADDING = `0x${"0".repeat(24)}`;
const ZERO_ADDRESS: Address = "0x0000000000000000000000000000000000000000";
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
  /** The implementation named by the newest Upgraded event, whose code is requested; null requests no code. */
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
  // The slot differs from the events: read again, so that code and slot come from the same response.
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
  const take = ({ length }: readonly unknown[]) => responses.splice(0, length);
  const [blocks, slots, withCode, results] = [take(headers), take(state), take(codes), take(calls)];
  const refused = blocks.find((response) => response instanceof RpcError);
  if (refused !== undefined) throw refused;
  const parsed = headers.map((number, index) => parseBlock(blocks[index], number));
  const [adminSlot, implementationSlot, miningSlot, implementationCode] = slots;
  const runtime = bytesOf(implementationCode);
  return {
    block: elementAt(parsed, 0),
    hasCode: new Map(
      contracts.flatMap(([name], index) => {
        const bytes = bytesOf(withCode[index]);
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

/** Returns the address in a storage slot; undefined if the node refused the call or the slot has something else. */
function slotAddress(response: unknown): Address | undefined {
  const word = bytesOf(response, 32);
  return word?.startsWith(PADDING) ? getAddress(`0x${word.slice(PADDING.length)}`) : undefined;
}

// The view calls, and their separate results. The interfaces in abi.ts define the functions and their results.

export const MULTICALL3: Address = "0xcA11bde05977b3631167028862bE2a173976CA11";
const PROPOSER_ROLE = keccak256(stringToHex("PROPOSER_ROLE"));

export interface ViewCall {
  /** `contract.function`. */
  readonly name: string;
  readonly to: Address;
  readonly function: AbiFunction;
  readonly data: Hex;
}

/** Results by `contract.function`; a `FailedView` for a failed call. */
export type ViewResults = ReadonlyMap<string, unknown>;

/** The reason why a view function has no result. */
export class FailedView {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

export function viewCalls(deployment: Deployment): ViewCall[] {
  const { core, proxyAdmin, operatorTimelock, operatorProposer, economy } = deployment;
  return [
    ...everyFunction("core", core, CORE_ABI),
    viewCall("proxyAdmin", proxyAdmin, getAbiItem({ abi: PROXY_ADMIN_ABI, name: "owner" })),
    viewCall("timelock", operatorTimelock, getAbiItem({ abi: TIMELOCK_ABI, name: "hasRole" }), [
      PROPOSER_ROLE,
      operatorProposer,
    ]),
    ...(economy === undefined
      ? []
      : [...everyFunction("mining", economy.mining, MINING_ABI), ...everyFunction("token", economy.token, TOKEN_ABI)]),
  ];
}

/** Returns the JSON-RPC calls for the view calls at a block (a hexadecimal quantity). */
export function rpcCalls(views: readonly ViewCall[], at: string, multicall: boolean): RpcCall[] {
  if (!multicall) return views.map(({ to, data }) => ethCall(to, data, at));
  const calls = views.map(({ to, data }) => ({ target: to, allowFailure: true, callData: data }));
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: "aggregate3", args: [calls] });
  return [ethCall(MULTICALL3, data, at)];
}

/** `responses` are the results of `rpcCalls`, with an `RpcError` for each failed call. */
export function viewResults(
  views: readonly ViewCall[],
  responses: readonly unknown[],
  multicall: boolean,
): ViewResults {
  const results = multicall ? multicallResults(responses[0], views.length) : responses;
  return new Map(views.map((view, index) => [view.name, decoded(view, results[index])]));
}

function multicallResults(response: unknown, count: number): unknown[] {
  const data = bytesOf(response);
  if (data === undefined) return Array.from({ length: count }, () => response);
  try {
    const results = decodeFunctionResult({ abi: multicall3Abi, functionName: "aggregate3", data });
    return results.map(({ success, returnData }) => (success ? returnData : undefined));
  } catch {
    // Omit the library's message, because it quotes the response.
    throw new ContradictingResponse("the multicall's response does not decode");
  }
}

function decoded({ function: called }: ViewCall, response: unknown): unknown {
  if (response instanceof RpcError) return new FailedView(response.message);
  if (response === undefined) return new FailedView("the call failed");
  const data = bytesOf(response);
  if (data === undefined) return new FailedView("the response is no byte string");
  try {
    return resultOf(called, data);
  } catch {
    return new FailedView("the response does not decode");
  }
}

/** The longest text of a contract, in bytes of UTF-8 (docs/spec/chain.md#forms). It is in every body. */
const MAX_TEXT_BYTES = 256;

/** Returns a function's only result. Throws, or returns the reason, if a body could not hold it without loss. */
function resultOf({ name, outputs }: AbiFunction, data: Hex): unknown {
  if (outputs[0]?.type === "string") {
    // The library's own texts lack a U+FEFF at the start, and bytes that are no UTF-8.
    const [bytes] = decodeAbiParameters([{ type: "bytes" }], data);
    const text = hexToBytes(bytes);
    if (text.length > MAX_TEXT_BYTES) return new FailedView(`a text of ${text.length} bytes`);
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(text);
  }
  const [value] = decodeAbiParameters(outputs, data);
  // The library accepts a uint64 or an address with more bits.
  if (encodeAbiParameters(outputs, [value]) !== data.slice(0, 2 + 64)) throw new Error("the word is out of range");
  if (name === "genesisTimestamp" && (value as bigint) > MAX_SECONDS) return new FailedView(`${value} is no instant`);
  return value;
}

/** Returns a call for every function of an interface; none takes an argument. */
function everyFunction(contract: string, to: Address, abi: Abi): ViewCall[] {
  return abi.flatMap((item) => (item.type === "function" ? [viewCall(contract, to, item)] : []));
}

function viewCall(contract: string, to: Address, called: AbiFunction, args: readonly unknown[] = []): ViewCall {
  const data = encodeFunctionData({ abi: [called], args });
  return { name: `${contract}.${called.name}`, to, function: called, data };
}

function ethCall(to: Address, data: Hex, at: string): RpcCall {
  return { method: "eth_call", params: [{ to, data }, at] };
}

// Results as typed states, of which each check uses the fields that it needs.

/** The results of an interface's functions, by name. */
type StateOf<Interface extends Abi> = {
  readonly [Name in ContractFunctionName<Interface, "view">]: ContractFunctionReturnType<Interface, "view", Name>;
};

export type CoreStateRead = StateOf<typeof CORE_ABI> & {
  readonly proxyAdminOwner: string;
  readonly proposerHasRole: boolean;
};
export type EconomyStateRead = StateOf<typeof MINING_ABI> & StateOf<typeof TOKEN_ABI>;

/** The fields that the node returned; undefined for the others. */
export type Returned<State> = { readonly [Name in keyof State]: State[Name] | undefined };

/** A field of a state, and the view call that returns it. */
type Field = readonly [name: string, view: string];

const CORE_FIELDS: readonly Field[] = [
  ...fieldsOf("core", CORE_ABI),
  ["proxyAdminOwner", "proxyAdmin.owner"],
  ["proposerHasRole", "timelock.hasRole"],
];
const ECONOMY_FIELDS: readonly Field[] = [...fieldsOf("mining", MINING_ABI), ...fieldsOf("token", TOKEN_ABI)];

export function returnedCore(views: ViewResults): Returned<CoreStateRead> {
  return returned<CoreStateRead>(CORE_FIELDS, views);
}

export function returnedEconomy(views: ViewResults): Returned<EconomyStateRead> {
  return returned<EconomyStateRead>(ECONOMY_FIELDS, views);
}

/** Throws `ContradictingResponse` if a function failed. */
export function wholeCore(views: ViewResults): CoreStateRead {
  return whole<CoreStateRead>(CORE_FIELDS, views);
}

/** Throws `ContradictingResponse` if a function failed. */
export function wholeEconomy(views: ViewResults): EconomyStateRead {
  return whole<EconomyStateRead>(ECONOMY_FIELDS, views);
}

function fieldsOf(contract: string, abi: Abi): Field[] {
  return abi.flatMap((item) => (item.type === "function" ? [[item.name, `${contract}.${item.name}`] as const] : []));
}

function returned<State>(fields: readonly Field[], views: ViewResults): Returned<State> {
  const read = fields.map(([name, view]) => {
    const result = views.get(view);
    return [name, result instanceof FailedView ? undefined : result];
  });
  return Object.fromEntries(read) as Returned<State>;
}

function whole<State>(fields: readonly Field[], views: ViewResults): State {
  for (const [, view] of fields) {
    const result = views.get(view);
    if (result !== undefined && !(result instanceof FailedView)) continue;
    const why = result === undefined ? "" : ` (${result.reason})`;
    throw new ContradictingResponse(`no usable response to ${view}()${why}`);
  }
  return returned<State>(fields, views) as State;
}
