/**
 * The ledgers and the chain of a model test, which change at random, and the ones that a publisher is configured with.
 */
import { join } from "node:path";
import type { Random } from "../../support/random.ts";
import { rewardsClaimed, unitMinted } from "../activity/chain-logs.ts";
import { GrownChain, settledBlock } from "../activity/grown-chain.ts";
import { START } from "../world.ts";
import { IDS, type Id, type Kind, LEDGERS, ModelLedger, nameOf, type Taken } from "./ledgers.ts";

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
/** Initial events of the chain: more than one activity tile holds. */
const FIRST_EVENTS = 260;

export class ModelSources {
  readonly ledgers: ModelLedger[] = [];
  readonly #folder: string;
  readonly #random: Random;
  ledger: ModelLedger;
  configured: Id = "wheel-1";

  constructor(folder: string, random: Random) {
    this.#folder = folder;
    this.#random = random;
    this.ledger = this.add();
  }

  /** An empty ledger. */
  add(): ModelLedger {
    const number = this.ledgers.length;
    const ledger = new ModelLedger(join(this.#folder, `ledger-${number}.db`), number);
    this.ledgers.push(ledger);
    return ledger;
  }

  /** Adds fewer than `receipts` receipts per installation, and a few other facts. */
  grow(ledger: ModelLedger, receipts: number): void {
    const random = this.#random;
    for (const id of IDS) {
      if (random.once(4)) continue;
      const made = (kind: Kind, count: number) =>
        Array.from({ length: count }, () => ({ id, kind, maker: ledger.number }));
      const [rounds, modules] = [random.below(3), random.below(2)];
      const added = [
        ...made("receipts", random.below(receipts)),
        ...made("rounds", rounds),
        ...made("modules", modules),
      ];
      ledger.take(added, random);
    }
  }

  /**
   * Copies all or the beginning of the ledger in other batches. Two neighbours may be exchanged, a fact may be left out
   * or altered, and the copy may then get other facts.
   */
  copy(receipts: number): void {
    if (this.ledgers.length === LEDGERS) return;
    const random = this.#random;
    const copy = this.add();
    const { order } = this.ledger;
    const size = random.once(3) ? order.length : order.length - random.below(1 + order.length / 2);
    const copied = order.slice(0, size);
    const change = random.below(12);
    if (change < 3) exchange(copied, random);
    else if (change === 3) copied.splice(random.below(copied.length), 1);
    else if (change === 4) alter(copied, copy.number, random);
    copy.take(copied, random);
    if (random.once(2)) this.grow(copy, receipts);
    this.ledger = copy;
  }

  end(): void {
    for (const { db } of this.ledgers) db.close();
  }
}

/** Exchanges two different neighbours, if there are any near a random place. */
function exchange(facts: Taken[], random: Random): void {
  for (let at = 1 + random.below(facts.length); at < facts.length; at++) {
    const [one, other] = [facts[at - 1], facts[at]];
    if (one === undefined || other === undefined || nameOf(one) === nameOf(other)) continue;
    facts.splice(at - 1, 2, other, one);
    return;
  }
}

/** Gives one fact other values. */
function alter(facts: Taken[], maker: number, random: Random): void {
  const at = random.below(facts.length);
  const fact = facts[at];
  if (fact !== undefined) facts[at] = { ...fact, maker };
}

/** A chain with settlements, and with enough events for several tiles. */
export function firstChain(): GrownChain {
  const chain = new GrownChain();
  chain.mine((block) => settledBlock(block, START - HOUR));
  chain.mine((blockNumber) =>
    Array.from({ length: FIRST_EVENTS }, (_, logIndex) =>
      unitMinted({ blockNumber, logIndex, blockTimestamp: START - HOUR + logIndex * SECOND }, BigInt(logIndex)),
    ),
  );
  return chain;
}

/** A block with one event, up to two days old. `now` is in epoch ms. */
export function mineEvent(chain: GrownChain, random: Random, now: number): void {
  const blockTimestamp = now - random.below(48) * HOUR;
  const log = random.pick([unitMinted, rewardsClaimed]);
  chain.mine((blockNumber) => [log({ blockNumber, logIndex: 0, blockTimestamp })]);
}
