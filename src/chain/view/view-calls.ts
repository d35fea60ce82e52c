/**
 * The view calls of a pass and their separate results. One multicall makes all of them if the chain has Multicall3. The
 * interfaces in abi.ts define the functions and their results.
 */
import {
  type Abi,
  type AbiFunction,
  type Address,
  type ContractFunctionName,
  type ContractFunctionReturnType,
  decodeFunctionResult,
  encodeFunctionData,
  getAbiItem,
  type Hex,
  keccak256,
  multicall3Abi,
  stringToHex,
} from "viem";
import { CORE_ABI, MINING_ABI, PROXY_ADMIN_ABI, TIMELOCK_ABI, TOKEN_ABI } from "../abi.ts";
import type { Deployment } from "../deployment.ts";
import { ContradictingResponse, isHexBytes } from "../rpc/node-responses.ts";
import { RpcError } from "../rpc/rpc-error.ts";
import type { RpcCall } from "../rpc/rpc-node.ts";

export const MULTICALL3: Address = "0xcA11bde05977b3631167028862bE2a173976CA11";
export const PROPOSER_ROLE = keccak256(stringToHex("PROPOSER_ROLE"));

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
  if (!isHexBytes(response)) return Array.from({ length: count }, () => response);
  try {
    const results = decodeFunctionResult({ abi: multicall3Abi, functionName: "aggregate3", data: response });
    return results.map(({ success, returnData }) => (success ? returnData : undefined));
  } catch {
    // Omit the library's message, because it quotes the response.
    throw new ContradictingResponse("the multicall's response does not decode");
  }
}

function decoded({ function: called }: ViewCall, response: unknown): unknown {
  if (response instanceof RpcError) return new FailedView(response.message);
  if (typeof response !== "string") return new FailedView("the call failed");
  try {
    return decodeFunctionResult({ abi: [called], data: response as Hex });
  } catch {
    return new FailedView("the response does not decode");
  }
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
