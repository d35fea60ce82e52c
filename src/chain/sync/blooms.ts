/**
 * A node that knows a block and not yet its logs returns `[]`, which would confirm a mint without a log. A header's logsBloom
 * has no false negatives: its logs must be in the response, or they are asked for again (docs/spec/chain.md#blooms).
 */
import { type Hex, keccak256 } from "viem";
import type { ChainEvent } from "../chain-state.ts";
import type { Block } from "../rpc/node-responses.ts";
import { type Contract, type LogSources, shapeOf } from "./logs.ts";

/** Blocks below the end of a pass that are compared with their blooms. Logs are late only near the head. */
export const BLOOM_BLOCKS = 64n;

/** A block whose bloom holds logs that the response leaves out. */
export interface SuspectBlock {
  readonly number: bigint;
  readonly hash: string;
  /** Such as `mining.RoundFunded`. */
  readonly missing: readonly string[];
}

/** The blocks among `blocks` whose bloom holds one of our addresses with one of its topics, and no such event is there. */
export function suspectBlocks(
  sources: LogSources,
  blocks: Iterable<Block>,
  events: readonly ChainEvent[],
): SuspectBlock[] {
  const found = new Set(events.map((event) => placeOf(event.blockNumber, event.contractAddress, event.eventName)));
  const suspects: SuspectBlock[] = [];
  for (const { number, hash, logsBloom } of blocks) {
    if (logsBloom === undefined) continue;
    const missing = [...sources.contracts.values()].flatMap((contract) =>
      heldEvents(contract, number, logsBloom)
        .filter(({ name }) => !found.has(placeOf(number, contract.address, name)))
        .map(({ kind, name }) => `${kind}.${name}`),
    );
    if (missing.length > 0) suspects.push({ number, hash, missing });
  }
  return suspects;
}

/** Suspects by block hash, until a second pass has agreed with the first. */
export class SuspectMemory {
  readonly #seen = new Map<string, { readonly node: number; readonly missing: string }>();
  #through: bigint | undefined;

  /** The safe block of the pass that found the suspects: the pass that confirms it is about the same blocks. */
  get through(): bigint | undefined {
    return this.#through;
  }

  /**
   * Records the suspects of a pass up to `through`. Returns the first that no earlier pass has found too, from another node or,
   * if no other responds, from the same one.
   */
  record(
    suspects: readonly SuspectBlock[],
    through: bigint,
    node: { readonly index: number; readonly respondsAlone: boolean },
  ): SuspectBlock | undefined {
    const isNew = suspects.filter(({ hash, missing }) => {
      const before = this.#seen.get(hash);
      return before?.missing !== missing.join() || (before.node === node.index && !node.respondsAlone);
    });
    if (isNew.length === 0) return undefined;
    for (const { hash, missing } of isNew) this.#seen.set(hash, { node: node.index, missing: missing.join() });
    this.#through = through;
    return isNew[0];
  }

  /** After a good pass, or if the file has become another one. */
  clear(): void {
    this.#seen.clear();
    this.#through = undefined;
  }
}

/** The events of a contract's interface that a bloom holds; it may hold them by chance. */
function heldEvents(contract: Contract, block: bigint, bloom: Uint8Array) {
  if (!holds(bloom, contract.key)) return [];
  return contract.topics.flatMap((topic) => {
    const shape = holds(bloom, topic) ? shapeOf(contract, topic, block) : undefined;
    return shape === undefined ? [] : [{ kind: shape.kind, name: shape.shape.name }];
  });
}

function placeOf(block: bigint, address: string, eventName: string): string {
  return `${block} ${address} ${eventName}`;
}

const positions = new Map<Hex, readonly number[]>();

/** Three bits of the keccak256 of an address or topic, as the yellow paper's M3:2048. */
function holds(bloom: Uint8Array, item: Hex): boolean {
  let bits = positions.get(item);
  if (bits === undefined) {
    const hash = Buffer.from(keccak256(item).slice(2), "hex");
    bits = [0, 2, 4].map((at) => (((hash[at] as number) << 8) | (hash[at + 1] as number)) & 2047);
    positions.set(item, bits);
  }
  return bits.every((bit) => ((bloom[255 - (bit >> 3)] as number) & (1 << (bit & 7))) !== 0);
}
