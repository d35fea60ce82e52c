/**
 * Settles the wheel's batches on the demo's chain. The chain already has the batches of the history; each new batch is
 * sent and confirmed.
 */
import type { Hex } from "viem";
import { SAFE_DEPTH } from "../../src/values/settlement-limits.ts";
import { elementAt } from "../../src/values/unknown.ts";
import { type Batch, type Settlement, simulatedSettlement } from "../history/settlement.ts";
import type { Node } from "./node.ts";
import { type ContractUsers, rewardTransactions, type Settled, settledOf, settlementOf } from "./transactions.ts";

export interface Sent {
  readonly transactionHash: Hex;
  readonly block: number;
}

/** The chain's batches in order, and the transaction that settled each. */
export interface ChainBatches {
  readonly settled: Settled[];
  /** Key: the last round of the batch. */
  readonly sent: Map<number, Sent>;
}

export class ChainSettlement implements Settlement {
  readonly #node: Node;
  readonly #cast: ContractUsers;
  readonly #batches: ChainBatches;
  readonly #history: Settlement;
  /** End of the history, epoch ms. */
  readonly #historyEnd: number;
  #waiting: Batch | undefined;
  readonly #submittedAt = new Map<number, number>();
  readonly #confirmedAt = new Map<number, number>();

  constructor(node: Node, cast: ContractUsers, batches: ChainBatches, historyEnd: number) {
    this.#node = node;
    this.#cast = cast;
    this.#batches = batches;
    this.#history = simulatedSettlement(0);
    this.#historyEnd = historyEnd;
  }

  submitted(batch: Batch, at: number): { readonly transactionHash: string; readonly submittedAt: number } | undefined {
    const sent = this.#batches.sent.get(batch.settledThroughRound);
    if (sent === undefined) {
      this.#waiting = batch;
      return undefined;
    }
    const { transactionHash } = sent;
    const submittedAt =
      this.#submittedAt.get(batch.settledThroughRound) ?? this.#history.submitted(batch, at)?.submittedAt;
    return submittedAt === undefined || submittedAt > at ? undefined : { transactionHash, submittedAt };
  }

  confirmedAt(batch: Batch, at: number): number | undefined {
    const sent = this.#batches.sent.get(batch.settledThroughRound);
    if (sent === undefined) {
      this.#waiting = batch;
      return undefined;
    }
    if (at <= this.#historyEnd) return this.#history.confirmedAt(batch, at);
    if (!this.#isSafe(sent)) return undefined;
    const confirmedAt = this.#confirmedAt.get(batch.settledThroughRound) ?? at;
    return confirmedAt > at ? undefined : confirmedAt;
  }

  /**
   * Mines one block if a batch must be settled or confirmed. `now` is in epoch ms.
   */
  async step(now: number): Promise<void> {
    const batch = this.#waiting;
    this.#waiting = undefined;
    const newest = this.#batches.settled.at(-1)?.through ?? 0;
    if (batch !== undefined && batch.settledThroughRound > newest) return this.#settle(batch, now);
    const sent = this.#batches.sent.get(newest);
    if (sent === undefined || this.#isSafe(sent)) return;
    await this.#node.mine(Math.floor(now / 1000));
    if (this.#isSafe(sent)) this.#confirmedAt.set(newest, now);
  }

  async #settle(batch: Batch, now: number): Promise<void> {
    const { settled, sent } = this.#batches;
    const batches = [...settled, settledOf(batch)];
    const transactions = [settlementOf(this.#cast, batch), ...rewardTransactions(this.#cast, batches, settled.length)];
    const hashes = await this.#node.mine(Math.floor(now / 1000), transactions);
    await this.#node.requireSuccess(hashes);
    settled.push(settledOf(batch));
    this.#submittedAt.set(batch.settledThroughRound, now);
    sent.set(batch.settledThroughRound, { transactionHash: elementAt(hashes, 0), block: this.#node.head.number });
  }

  #isSafe({ block }: Sent): boolean {
    return block <= this.#node.head.number - Number(SAFE_DEPTH);
  }
}
