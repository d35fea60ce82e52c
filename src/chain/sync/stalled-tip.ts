/**
 * Finds nodes whose tip is stalled (docs/spec/chain.md#stalled). Such a node hides every later event, so its
 * unchanged passes must not stay good. While the stored safe block does not change, other nodes are asked.
 */
import { SAFE_DEPTH } from "../../values/settlement-limits.ts";
import { formatTimestamp } from "../../values/timestamp.ts";
import { elementAt } from "../../values/unknown.ts";
import { ContradictingResponse } from "../rpc/node-responses.ts";
import { RpcError } from "../rpc/rpc-error.ts";
import type { RpcNode } from "../rpc/rpc-node.ts";
import type { StoredThrough } from "../store/sync-row.ts";
import { readTip } from "./tip.ts";

/** Interval of the questions to other nodes (ms). */
const ASK_INTERVAL_MS = 15_000;
/** How long the tip of a node behind the stored block may stay before the node is named (ms). */
const LAGGING_LIMIT_MS = 30_000;

export interface TipWatchOptions {
  readonly chainId: bigint;
  /** Number of other nodes that must have the same safe block; 0 without a quorum. */
  readonly needed: number;
  /** How long a tip that no other node confirms may stay (ms). */
  readonly validity: number;
  /** Epoch ms. */
  readonly now: () => number;
  /** Returns the nodes other than `index`, in order of preference. */
  readonly others: (index: number) => readonly OtherNode[];
  readonly onFailure: (index: number, error: Error) => void;
}

export interface OtherNode {
  readonly index: number;
  readonly rpc: RpcNode;
}

/** The stored safe block, and the epoch ms at which it was stored. */
export type SafeBlock = StoredThrough & { readonly at: number };

export type StalledOutcome =
  /** The node's tip has not moved, though it should have. */
  | { readonly kind: "stalled" }
  /** Too few nodes have the stored block as their safe block. */
  | { readonly kind: "no_quorum"; readonly message: string };

/** The responses of the other nodes about the stored block. Instants are epoch ms. */
interface Inquiry extends SafeBlock {
  readonly nextAt: number;
  /** When the block was stored, or when enough other nodes last had it as their safe block. */
  readonly confirmedAt: number;
  /** When another node first had a higher safe block. */
  readonly aheadSince: number | undefined;
  readonly isStalled: boolean;
}

/** A tip that has not moved since `since` (epoch ms). */
interface StalledTip {
  readonly block: bigint;
  readonly since: number;
  /** When the node is named to the operator (epoch ms). */
  readonly namedFrom: number;
}

export class TipWatch {
  readonly #options: TipWatchOptions;
  readonly #stalled = new Map<number, StalledTip>();
  #inquiry: Inquiry | undefined;
  #turn = 0;

  constructor(options: TipWatchOptions) {
    this.#options = options;
  }

  /** The nodes to name to the operator, by index. */
  named(): ReadonlyMap<number, string> {
    const now = this.#options.now();
    const named = [...this.#stalled].filter(([, { namedFrom }]) => namedFrom <= now);
    return new Map(
      named.map(([index, { block, since }]) => [
        index,
        `its newest block has been ${block} since ${formatTimestamp(since)}`,
      ]),
    );
  }

  /** Checks a node whose safe block is the stored one. Returns undefined if its pass may be good. */
  async check(node: number, stored: SafeBlock): Promise<StalledOutcome | undefined> {
    const { needed, now, validity, others } = this.#options;
    const before = this.#inquiry;
    const isSame = before?.block === stored.block && before.hash === stored.hash;
    let inquiry = isSame ? before : begun(stored, now());
    const nodes = now() < inquiry.nextAt ? [] : others(node);
    if (nodes.length > 0) inquiry = await this.#asked(inquiry, nodes);
    this.#inquiry = inquiry;
    const unconfirmedMs = now() - inquiry.confirmedAt;
    if (inquiry.isStalled || (needed === 0 && unconfirmedMs >= validity)) {
      this.#stalled.set(node, { block: stored.block + SAFE_DEPTH, since: inquiry.at, namedFrom: 0 });
      return { kind: "stalled" };
    }
    if (needed > 0 && unconfirmedMs >= ASK_INTERVAL_MS) {
      const message = `fewer than ${needed + 1} nodes have ${stored.block} as their safe block`;
      return { kind: "no_quorum", message };
    }
    return undefined;
  }

  /** Notes the tip of a node that is behind the stored block. */
  lags(node: number, block: bigint): void {
    if (this.#stalled.get(node)?.block === block) return;
    const since = this.#options.now();
    this.#stalled.set(node, { block, since, namedFrom: since + LAGGING_LIMIT_MS });
  }

  /** Forgets a node whose tip has moved. */
  moved(node: number): void {
    this.#stalled.delete(node);
  }

  /** Asks one node, or with a quorum as many as it takes. Another node's agreement outweighs a higher block only then. */
  async #asked(inquiry: Inquiry, nodes: readonly OtherNode[]): Promise<Inquiry> {
    const { needed, now } = this.#options;
    const limit = needed === 0 ? 1 : nodes.length;
    let [agreeing, ahead] = [0, 0];
    for (let asked = 0; asked < limit && agreeing < Math.max(1, needed); asked++) {
      const safe = await this.#safeOf(elementAt(nodes, this.#turn++ % nodes.length), inquiry);
      if (safe === inquiry.block) agreeing++;
      else if (safe !== undefined && safe > inquiry.block) ahead++;
    }
    const at = now();
    const isConfirmed = agreeing >= Math.max(1, needed);
    const aheadSince = ahead > 0 ? (inquiry.aheadSince ?? at) : inquiry.aheadSince;
    const isSure = ahead >= 2 || (aheadSince !== undefined && at - aheadSince >= ASK_INTERVAL_MS);
    return {
      ...inquiry,
      nextAt: needed === 0 || isConfirmed ? at + ASK_INTERVAL_MS : at,
      confirmedAt: isConfirmed ? at : inquiry.confirmedAt,
      aheadSince,
      isStalled: !isConfirmed && (ahead > 0 ? isSure : inquiry.isStalled),
    };
  }

  /** Returns a node's safe block; undefined if it fails, is on another chain or fork, or does not have the block. */
  async #safeOf({ index, rpc }: OtherNode, { block, hash }: StoredThrough): Promise<bigint | undefined> {
    const { chainId, onFailure } = this.#options;
    try {
      const tip = await readTip(rpc, { chainId, stored: { block, hash }, multicall: true });
      return "otherChainId" in tip || tip.storedBlock?.hash !== hash ? undefined : tip.safe;
    } catch (error) {
      if (!(error instanceof RpcError) && !(error instanceof ContradictingResponse)) throw error;
      onFailure(index, error);
      return undefined;
    }
  }
}

/** A clock that was ahead must not put off the first question. */
function begun(stored: SafeBlock, now: number): Inquiry {
  const at = Math.min(stored.at, now);
  return { ...stored, at, nextAt: at + ASK_INTERVAL_MS, confirmedAt: at, aheadSince: undefined, isStalled: false };
}
