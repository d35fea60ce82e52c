/**
 * Every projection equals its rebuild from the sources, byte for byte, after any history. Histories have facts of two
 * installations in any batches, steps of any size, reorgs, lower safe blocks, and ledgers that lost facts or have others.
 */
import SqliteDatabase, { type Database } from "better-sqlite3";
import { expect, test } from "vitest";
import { openProjectionsInMemory } from "../../src/projections/open.ts";
import { KINDS } from "../publish/activity/chain-logs.ts";
import { accept, emptyLedger, type Fact, INSTALLATION } from "../resources/statistics/history.ts";
import { type RandomHistory, randomHistory } from "../resources/statistics/random-history.ts";
import { batchEvents, chainDb, fundingEvent, settledChain } from "../support/chain/chain-db.ts";
import { AT } from "../support/chain/chain-state.ts";
import { Random, seeds } from "../support/random.ts";
import { rowsOf, step } from "./step.ts";

const FIRST_BLOCK = 101;

test("after any random history incremental projections equal their rebuild", () => {
  for (const seed of seeds(20)) check(seed);
});

/** The sources of one publisher, and its projections. */
class Sources {
  ledger = emptyLedger([INSTALLATION, "wheel-2"]);
  readonly projections = openProjectionsInMemory();
  readonly #random: Random;
  #history: RandomHistory;
  readonly #other: RandomHistory;
  /** Facts ingested so far, of the configured installation and of another. */
  #taken: readonly [number, number] = [0, 0];
  /** Each block's events are derived from its number here. A reorg replaces the numbers. */
  #blocks: number[] = [];
  #reorgs = 0;
  #safeBlock = FIRST_BLOCK;

  constructor(seed: number) {
    this.#random = new Random(~seed);
    this.#history = randomHistory(seed);
    this.#other = randomHistory(seed + 1_000_000);
  }

  /** Applies one random event to the publisher. */
  happen(): void {
    const random = this.#random;
    const what = random.pick([
      "facts",
      "facts",
      "facts",
      "steps",
      "steps",
      "blocks",
      "blocks",
      "reorg",
      "safe",
      "loss",
    ]);
    if (what === "facts") this.#accept(random.pick([1, 7, 60]), random.pick([0, 1, 20]));
    else if (what === "blocks") this.#mine(random.between(1, 12));
    else if (what === "safe") this.#safeBlock = FIRST_BLOCK + random.between(0, this.#blocks.length + 2);
    else if (what === "reorg") this.#reorg(random.between(0, this.#blocks.length));
    else if (what === "loss") this.#lose();
    else this.#steps(random.between(1, 4), random.pick([10, 50, 500]));
  }

  /** Projects everything that remains, at the history's last instant. */
  finish(): void {
    this.#accept(this.#history.facts.length, this.#other.facts.length);
    this.#safeBlock = this.#lastBlock;
    this.follow(this.projections);
  }

  follow(projections: Database): void {
    const chain = this.#chain();
    while (step({ ...this.#inputs(this.#history.at), ...chain, projections }, undefined));
    chain.chainDb.close();
  }

  close(): void {
    for (const db of [this.ledger, this.projections]) db.close();
  }

  get #lastBlock(): number {
    return FIRST_BLOCK + this.#blocks.length - 1;
  }

  #inputs(at: number) {
    const { genesis } = this.#history;
    return { installationId: INSTALLATION, ledger: this.ledger, genesis, at };
  }

  #accept(own: number, other: number): void {
    const [before, beforeOther] = this.#taken;
    accept(this.ledger, this.#history.facts.slice(before, before + own));
    accept(this.ledger, this.#other.facts.slice(beforeOther, beforeOther + other) as readonly Fact[], 2);
    const take = (all: readonly Fact[], taken: number) => Math.min(all.length, taken);
    this.#taken = [take(this.#history.facts, before + own), take(this.#other.facts, beforeOther + other)];
  }

  #steps(most: number, microseconds: number): void {
    const chain = this.#chain();
    const left = this.#history.facts.length - this.#taken[0];
    // Time advances with the facts, so that some rounds arrive ahead of time.
    const at = this.#history.at - Math.floor((left / Math.max(1, this.#history.facts.length)) * 3 * 86_400_000);
    for (let n = 0; n < most; n++) {
      if (!step({ ...this.#inputs(at), ...chain, projections: this.projections }, microseconds)) break;
    }
    chain.chainDb.close();
  }

  #mine(blocks: number): void {
    for (let n = 0; n < blocks; n++) this.#blocks.push(this.#random.below(2 ** 31));
    this.#safeBlock = this.#lastBlock;
  }

  #reorg(from: number): void {
    this.#reorgs++;
    this.#blocks = this.#blocks.map((block, index) => (index < from ? block : this.#random.below(2 ** 31)));
  }

  /** Replaces the ledger by one that goes on from an older backup, or begins with other facts. */
  #lose(): void {
    const [own, other] = this.#taken;
    const [kept, keptOther] = [this.#random.between(0, own), this.#random.between(0, other)];
    if (this.#random.once(2)) {
      const { facts } = randomHistory(this.#random.below(2 ** 31));
      this.#history = { ...this.#history, facts };
    }
    this.ledger.close();
    this.ledger = emptyLedger([INSTALLATION, "wheel-2"]);
    this.#taken = [0, 0];
    this.#accept(kept, keptOther);
  }

  #chain() {
    const events = batchEvents(
      this.#blocks.flatMap((seed, index) =>
        seed % 3 === 0
          ? [
              {
                block: BigInt(FIRST_BLOCK + index),
                time: AT + index * 12_000,
                rounds: BigInt(1 + (seed % 16)),
                activeRounds: BigInt(seed % 7),
                work: BigInt(seed),
              },
            ]
          : [],
      ),
    );
    const others = this.#blocks.flatMap((seed, index) => {
      const block = BigInt(FIRST_BLOCK + index);
      const funded = seed % 5 === 0 ? [fundingEvent(block, 1, BigInt(index), BigInt(seed))] : [];
      const kind = KINDS[seed % KINDS.length] ?? KINDS[0];
      const shown =
        seed % 7 < 3 ? [kind({ blockNumber: block, logIndex: 10, blockTimestamp: AT + index * 12_000 })] : [];
      return [...funded, ...shown];
    });
    return {
      chain: settledChain([], {}, BigInt(this.#safeBlock)),
      chainDb: chainDb([...events, ...others], this.#lastBlock, `history ${this.#reorgs}`),
    };
  }
}

function check(seed: number): void {
  const sources = new Sources(seed);
  const happenings = 4 + (seed % 20);
  for (let n = 0; n < happenings; n++) sources.happen();
  sources.finish();
  const rebuilt = openProjectionsInMemory();
  sources.follow(rebuilt);
  expect(rowsOf(sources.projections), `seed ${seed}`).toEqual(rowsOf(rebuilt));
  expect(new SqliteDatabase(sources.projections.serialize()).pragma("integrity_check", { simple: true })).toBe("ok");
  sources.close();
  rebuilt.close();
}
