/**
 * Requires enough nodes to agree on each range and state (docs/spec/chain.md#trust). A pass reads from one node, and as
 * many witnesses as the quorum needs confirm each part.
 */
import type { Deployment } from "../deployment.ts";
import { type Block, blockCall, ContradictingResponse, parseBlock, UNDATED } from "../rpc/node-responses.ts";
import type { RangeSize } from "../rpc/nodes.ts";
import { RpcError } from "../rpc/rpc-error.ts";
import type { RpcNode } from "../rpc/rpc-node.ts";
import { digestOf } from "../store/read-events.ts";
import { FailedView, type Reading, type ReadingRequest, readState } from "../view/reading.ts";
import type { RangeEvents, WatchedContracts } from "./events.ts";
import { fetchRanges } from "./fetch-ranges.ts";

/** A node other than the one that the pass reads from. */
export interface Witness {
  /** Index of the node in the list. */
  readonly index: number;
  readonly rpc: RpcNode;
  readonly size: RangeSize;
}

export interface QuorumOptions {
  /** Number of witnesses that must agree with the pass's node; 0 asks none. */
  readonly needed: number;
  /** In order of preference. */
  readonly witnesses: readonly Witness[];
  readonly watched: WatchedContracts;
  readonly deployment: Deployment;
  /** Called for a witness that disagrees. `detail` names the blocks and the difference. */
  readonly onDisagreement: (index: number, detail: string) => void;
  readonly onFailure: (index: number, error: Error) => void;
}

/** Thrown if too few witnesses agree: nothing of the range is stored. */
export class NoQuorum extends Error {
  override readonly name = "NoQuorum";
}

export class Quorum {
  readonly #options: QuorumOptions;
  /** Errors of witnesses, which are not asked again in this pass. */
  readonly #failed = new Map<number, string>();
  readonly #agreed = new Set<number>();
  readonly #disagreed = new Set<number>();

  constructor(options: QuorumOptions) {
    this.#options = options;
  }

  /** The witnesses that have agreed on everything that they were asked. */
  get agreeing(): readonly number[] {
    return [...this.#agreed].filter((index) => !this.#disagreed.has(index));
  }

  /** Confirms the events of a range and its last block. Throws `NoQuorum`. */
  confirmRange(range: RangeEvents, end: Block): Promise<void> {
    const { from, to } = range;
    return this.#confirm(`blocks ${from} to ${to}`, async (witness) => {
      const { events, block } = await this.#readRange(witness, from, to);
      if (block.hash !== end.hash) return `the hash of block ${to}`;
      if (digestOf(events, from, to) !== digestOf(range.events, from, to))
        return `the events: ${events.length} instead of ${range.events.length}, or different ones`;
      const isDated = events.every(
        ({ blockTimestamp }, index) =>
          blockTimestamp === UNDATED || blockTimestamp === range.events[index]?.blockTimestamp,
      );
      return isDated && block.timestamp === end.timestamp ? undefined : "the timestamps";
    });
  }

  /** Confirms the state at a block, which was read by `request`. Throws `NoQuorum`. */
  confirmState(request: ReadingRequest, reading: Reading): Promise<void> {
    return this.#confirm(`the state at block ${request.block}`, async ({ rpc }) => {
      const other = await readState(rpc, this.#options.deployment, { ...request, blocks: [] });
      const [own, theirs] = [stateOf(reading), stateOf(other)];
      const differing = [...own.keys()].filter((name) => own.get(name) !== theirs.get(name));
      return differing.length === 0 ? undefined : differing.join(", ");
    });
  }

  /** `differs` returns how a witness's data differ, or undefined if they agree. */
  async #confirm(what: string, differs: (witness: Witness) => Promise<string | undefined>): Promise<void> {
    const { needed, witnesses, onDisagreement, onFailure } = this.#options;
    let agreeing = 0;
    for (const witness of witnesses) {
      if (agreeing === needed) return;
      if (this.#failed.has(witness.index)) continue;
      const difference = await this.#asked(witness, differs);
      if (difference instanceof Error) {
        onFailure(witness.index, difference);
        this.#failed.set(witness.index, `${witness.rpc.label}: ${difference.message}`);
      } else if (difference === undefined) {
        agreeing++;
        this.#agreed.add(witness.index);
      } else {
        this.#disagreed.add(witness.index);
        onDisagreement(witness.index, `${what}: ${difference}`);
      }
    }
    if (agreeing >= needed) return;
    const failures = [...this.#failed.values()].map((failure) => `; ${failure}`).join("");
    throw new NoQuorum(`${agreeing + 1} of ${needed + 1} nodes agree on ${what}${failures}`);
  }

  async #asked(witness: Witness, differs: (witness: Witness) => Promise<string | undefined>) {
    try {
      return await differs(witness);
    } catch (error) {
      if (error instanceof RpcError || error instanceof ContradictingResponse) return error;
      throw error;
    }
  }

  async #readRange({ rpc, size }: Witness, from: bigint, to: bigint) {
    const events = [];
    // Skip the bloom check: missing events differ from the pass's events anyway.
    const request = { node: rpc, watched: this.#options.watched, size, from, to, bloomsFrom: to + 1n };
    for await (const range of fetchRanges(request)) events.push(...range.events);
    // Request the block after the events, as proof that the node knows the range's end.
    const [response] = await rpc.batch([blockCall(to)]);
    return { events, block: parseBlock(response, to) };
  }
}

/** Returns the values of a reading by name, without those that the node refused. */
function stateOf(reading: Reading): ReadonlyMap<string, string> {
  const { block, hasCode, proxyAdminSlot, implementation, runtimeHash, miningSlot, views } = reading;
  const values = {
    "the block's hash": block.hash,
    "the block's timestamp": block.timestamp,
    proxyAdminSlot,
    implementation,
    runtimeHash,
    miningSlot,
    ...Object.fromEntries([...hasCode].map(([name, has]) => [`code of ${name}`, has])),
    ...Object.fromEntries(views),
  };
  const known = Object.entries<unknown>(values).filter(
    ([, value]) => value !== undefined && !(value instanceof FailedView),
  );
  return new Map(known.map(([name, value]) => [name, String(value)]));
}
