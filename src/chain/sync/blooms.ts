/**
 * Detects missing events by bloom filters. A node that knows a block but not yet its events returns `[]`, which would
 * confirm a mint without an event. A header's logsBloom has no false negatives: if it indicates events, they must be in
 * the response, or they are requested again (docs/spec/chain.md#blooms).
 */
import { type Hex, keccak256 } from "viem";
import { elementAt } from "../../values/unknown.ts";
import type { ChainEvent } from "../chain-state.ts";
import type { Block } from "../rpc/node-responses.ts";
import { type Contract, shapeOf, type WatchedContracts } from "./events.ts";

/** Number of blocks at the end of a pass that are checked. Events are late only near the tip. */
export const BLOOM_BLOCKS = 64n;

/** A block whose bloom indicates events that the response lacks. */
export interface SuspectBlock {
  readonly number: bigint;
  readonly hash: string;
  /** Such as `mining.RoundFunded`. */
  readonly missing: readonly string[];
}

/** Returns the blocks whose bloom contains one of the contracts and one of its topics, but which have no such event. */
export function suspectBlocks(
  watched: WatchedContracts,
  blocks: Iterable<Block>,
  events: readonly ChainEvent[],
): SuspectBlock[] {
  const found = new Set(events.map((event) => eventKey(event.blockNumber, event.contractAddress, event.eventName)));
  const suspects: SuspectBlock[] = [];
  for (const { number, hash, logsBloom } of blocks) {
    if (logsBloom === undefined) continue;
    const missing = [...watched.contracts.values()].flatMap((contract) =>
      heldEvents(contract, number, logsBloom)
        .filter(({ name }) => !found.has(eventKey(number, contract.address, name)))
        .map(({ kind, name }) => `${kind}.${name}`),
    );
    if (missing.length > 0) suspects.push({ number, hash, missing });
  }
  return suspects;
}

/** Remembers suspects by block hash until a second pass agrees with the first. */
export class SuspectMemory {
  readonly #seen = new Map<string, { readonly node: number; readonly missing: string }>();
  #through: bigint | undefined;

  /** The safe block of the pass that found the suspects. The confirming pass must read the same blocks. */
  get through(): bigint | undefined {
    return this.#through;
  }

  /**
   * Records the suspects of a pass up to `through`. Returns the first that no earlier pass confirmed, over another node
   * or, if no other responds, over the same one.
   */
  record(
    suspects: readonly SuspectBlock[],
    through: bigint,
    node: { readonly index: number; readonly isOnlyResponding: boolean },
  ): SuspectBlock | undefined {
    const isNew = suspects.filter(({ hash, missing }) => {
      const before = this.#seen.get(hash);
      return before?.missing !== missing.join() || (before.node === node.index && !node.isOnlyResponding);
    });
    if (isNew.length === 0) return undefined;
    for (const { hash, missing } of isNew) this.#seen.set(hash, { node: node.index, missing: missing.join() });
    this.#through = through;
    return isNew[0];
  }

  /** Must be called after a good pass, and if another process rewrote the file. */
  clear(): void {
    this.#seen.clear();
    this.#through = undefined;
  }
}

/** Returns the events of a contract that a bloom indicates, possibly by chance. */
function heldEvents(contract: Contract, block: bigint, bloom: Uint8Array) {
  if (!holds(bloom, contract.key)) return [];
  return contract.topics.flatMap((topic) => {
    const shape = holds(bloom, topic) ? shapeOf(contract, topic, block) : undefined;
    return shape === undefined ? [] : [{ kind: shape.kind, name: shape.shape.name }];
  });
}

function eventKey(block: bigint, address: string, eventName: string): string {
  return `${block} ${address} ${eventName}`;
}

const positions = new Map<Hex, readonly number[]>();

/** Checks three bits from the keccak256 of an address or topic (M3:2048 of the yellow paper). */
function holds(bloom: Uint8Array, item: Hex): boolean {
  let bits = positions.get(item);
  if (bits === undefined) {
    const hash = Buffer.from(keccak256(item).slice(2), "hex");
    bits = [0, 2, 4].map((at) => ((elementAt(hash, at) << 8) | elementAt(hash, at + 1)) & 2047);
    positions.set(item, bits);
  }
  return bits.every((bit) => (elementAt(bloom, 255 - (bit >> 3)) & (1 << (bit & 7))) !== 0);
}
