/** Decodes a node's events: validated, without duplicates, in order (docs/spec/chain.md#reading). */
import type { Hex } from "viem";
import { errorMessage } from "../../values/unknown.ts";
import type { ChainEvent, ContractKind } from "../chain-state.ts";
import type { Deployment } from "../deployment.ts";
import { EVENT_SHAPES, type EventShape } from "../event-shape.ts";
import {
  type Block,
  ContradictingResponse,
  lowerHex,
  type RawEvent,
  rawEvent,
  UNDATED,
} from "../rpc/node-responses.ts";

/** The contracts whose events are read, and from which block on. */
export interface WatchedContracts {
  /** The key is the address in lower case. */
  readonly contracts: ReadonlyMap<string, Contract>;
  readonly topics: readonly Hex[];
}

export interface Contract {
  /** Checksummed. */
  readonly address: string;
  /** The address in lower case. */
  readonly key: Hex;
  /** Distinct topics of the contract's interfaces. */
  readonly topics: readonly Hex[];
  readonly roles: readonly { readonly kind: ContractKind; readonly fromBlock: bigint }[];
}

/** Events of one range. The node omitted the timestamps of `undated` blocks, whose headers must be requested. */
export interface RangeEvents {
  readonly from: bigint;
  readonly to: bigint;
  readonly events: ChainEvent[];
  readonly undated: ReadonlySet<bigint>;
}

export function watchedContracts(deployment: Deployment): WatchedContracts {
  const { deploymentBlock, economy } = deployment;
  const contracts = new Map<string, Contract>();
  const add = (kind: ContractKind, address: string, fromBlock: number) => {
    const key = lowerHex(address);
    const roles = [...(contracts.get(key)?.roles ?? []), { kind, fromBlock: BigInt(fromBlock) }];
    const topics = new Set(roles.flatMap((role) => [...EVENT_SHAPES[role.kind].keys()]));
    contracts.set(key, { address, key, topics: [...topics], roles });
  };
  add("factory", deployment.factory, deploymentBlock);
  add("core", deployment.core, deploymentBlock);
  add("proxy_admin", deployment.proxyAdmin, deploymentBlock);
  add("timelock", deployment.operatorTimelock, deploymentBlock);
  if (economy !== undefined) {
    add("mining", economy.mining, economy.deploymentBlock);
    add("collection", economy.collection, economy.deploymentBlock);
  }
  const topics = new Set([...contracts.values()].flatMap((contract) => contract.topics));
  return { contracts, topics: [...topics] };
}

/** Returns the eth_getLogs filter for a range, with the contracts that are read there. */
export function getLogsFilter(watched: WatchedContracts, from: bigint, to: bigint): object {
  const address = [...watched.contracts].filter(([, { roles }]) => roles.some((role) => role.fromBlock <= to));
  return {
    address: address.map(([key]) => key),
    topics: [watched.topics],
    fromBlock: `0x${from.toString(16)}`,
    toBlock: `0x${to.toString(16)}`,
  };
}

/**
 * Decodes one response. Throws `ContradictingResponse` for
 *
 * - events of other contracts or blocks;
 * - two different events with the same position, or two hashes of one block;
 * - known events that do not decode.
 */
export function decodeEvents(watched: WatchedContracts, from: bigint, to: bigint, response: unknown): RangeEvents {
  if (!Array.isArray(response)) throw new ContradictingResponse("the events are not an array");
  const events = new Map<string, ChainEvent>();
  const hashes = new Map<bigint, string>();
  const undated = new Set<bigint>();
  for (const value of response) {
    const raw = rawEvent(value);
    const { blockNumber } = raw;
    if (blockNumber < from || blockNumber > to) throw new ContradictingResponse(`an event of block ${blockNumber}`);
    const contract = watched.contracts.get(raw.address);
    if (contract === undefined) throw new ContradictingResponse(`an event of ${raw.address}, which was not asked for`);
    if ((hashes.get(blockNumber) ?? raw.blockHash) !== raw.blockHash) {
      throw new ContradictingResponse(`two hashes of block ${blockNumber}`);
    }
    hashes.set(blockNumber, raw.blockHash);
    const found = shapeOf(contract, raw.topics[0], blockNumber);
    if (found === undefined) continue;
    const event = eventOf(raw, contract, found);
    const place = `${blockNumber}-${event.logIndex}`;
    const known = events.get(place);
    if (known === undefined) {
      events.set(place, event);
      if (event.blockTimestamp === UNDATED) undated.add(blockNumber);
    } else if (fingerprint(known) !== fingerprint(event)) {
      throw new ContradictingResponse(`two events at ${place}`);
    }
  }
  return { from, to, events: [...events.values()].sort(byPosition), undated };
}

/**
 * Adds missing timestamps to the events. An event and the header of its block must agree on what both say: number, hash
 * and time (docs/spec/chain.md#forms).
 */
export function withBlocks(range: RangeEvents, blocks: ReadonlyMap<bigint, Block>): RangeEvents {
  const events = range.events.map((event) => {
    const block = blocks.get(event.blockNumber);
    if (block !== undefined && block.hash !== event.blockHash) {
      throw new ContradictingResponse(`the events of block ${block.number} belong to another block of that number`);
    }
    if (event.blockTimestamp !== UNDATED) {
      if ((block?.timestamp ?? event.blockTimestamp) === event.blockTimestamp) return event;
      throw new ContradictingResponse(`an event and the header of block ${event.blockNumber} differ in their time`);
    }
    if (block === undefined) throw new ContradictingResponse(`block ${event.blockNumber} has no timestamp`);
    return { ...event, blockTimestamp: block.timestamp };
  });
  return { ...range, events, undated: new Set() };
}

interface FoundShape {
  readonly kind: ContractKind;
  readonly shape: EventShape;
}

/** Returns the event type of a topic; undefined if it is not in the contract's interface at that block. */
export function shapeOf({ roles }: Contract, topic: Hex | undefined, block: bigint): FoundShape | undefined {
  if (topic === undefined) return undefined;
  for (const { kind, fromBlock } of roles) {
    const shape = EVENT_SHAPES[kind].get(topic);
    if (shape !== undefined && block >= fromBlock) return { kind, shape };
  }
  return undefined;
}

function eventOf(raw: RawEvent, contract: Contract, { kind, shape }: FoundShape): ChainEvent {
  try {
    return {
      contractKind: kind,
      contractAddress: contract.address,
      eventName: shape.name,
      blockNumber: raw.blockNumber,
      blockHash: raw.blockHash,
      blockTimestamp: raw.blockTimestamp,
      transactionHash: raw.transactionHash,
      transactionIndex: raw.transactionIndex,
      logIndex: raw.logIndex,
      arguments: shape.decode(raw.topics, raw.data),
    };
  } catch (error) {
    const reason = errorMessage(error);
    throw new ContradictingResponse(
      `a ${shape.name} of ${kind} in block ${raw.blockNumber} does not decode: ${reason}`,
    );
  }
}

function fingerprint(event: ChainEvent): string {
  return JSON.stringify({ ...event, blockNumber: String(event.blockNumber) });
}

function byPosition(a: ChainEvent, b: ChainEvent): number {
  return a.blockNumber === b.blockNumber ? a.logIndex - b.logIndex : a.blockNumber < b.blockNumber ? -1 : 1;
}
