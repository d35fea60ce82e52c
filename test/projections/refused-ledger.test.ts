/**
 * A cycle that rejects its ledger takes nothing of it into the projections. Afterwards every projection equals its
 * rebuild, byte for byte. Random histories of a publisher have facts, cycles, reorgs, and ledgers that are behind or
 * forked from what was published.
 */
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import { expect, test } from "vitest";
import { ownProjections } from "../../publish/sources/projections-source.ts";
import { readCursor } from "../../src/projections/follow.ts";
import { openProjectionsInMemory } from "../../src/projections/open.ts";
import { RECEIPTS } from "../../src/projections/receipts.ts";
import { ROUNDS } from "../../src/projections/rounds/rounds.ts";
import { SUBMISSIONS } from "../../src/projections/settlements/submissions.ts";
import { KINDS } from "../publish/activity/chain-logs.ts";
import { GrownChain, settledBlock } from "../publish/activity/grown-chain.ts";
import { INSTALLATION, START, type Worker, World } from "../publish/world.ts";
import { accept, type Fact } from "../resources/statistics/history.ts";
import { type RandomHistory, randomHistory } from "../resources/statistics/random-history.ts";
import { fundingEvent } from "../support/chain/chain-db.ts";
import { Random, seeds } from "../support/random.ts";
import { rowsOf, step } from "./step.ts";

const HISTORIES = seeds(6);
/** Longer than any response waits before it is built again. */
const CYCLE_MS = 60_000;
/** The first random block. The block before it has the settlements. */
const FIRST_BLOCK = 102;

test("nothing of a rejected ledger is projected, and later all projections equal their rebuild", async () => {
  const refusals: string[] = [];
  for (const seed of HISTORIES) refusals.push(...(await check(seed)));
  if (HISTORIES.length > 5) expect(new Set(refusals)).toEqual(new Set(["ledger_behind", "ledger_forked"]));
});

interface Backup {
  readonly path: string;
  readonly taken: number;
}

/** A publisher and its changing sources. */
class Life {
  readonly world = new World();
  readonly chain = new GrownChain();
  readonly projections = ownProjections(join(this.world.folder, "state"), { whole: true });
  /** The reasons of the cycles that rejected the ledger. */
  readonly refusals: string[] = [];
  readonly #random: Random;
  readonly #history: RandomHistory;
  /** The number of the history's facts in the ledger. */
  #taken = 0;
  /** Backups of the ledger, with their number of facts. */
  readonly #backups: Backup[] = [];
  #blocks = 0;

  constructor(seed: number) {
    this.#random = new Random(~seed);
    this.#history = randomHistory(seed);
    this.world.ledger.exec(`INSERT INTO installation (no, id) VALUES (1, '${INSTALLATION}')`);
    this.#backup();
    this.chain.mine((block) => settledBlock(block, START - 3_600_000));
    this.chain.pass(START);
    this.#accept(this.#random.pick([0, 7, 60]));
  }

  async happen(worker: Worker): Promise<void> {
    const random = this.#random;
    const event = random.pick(["facts", "facts", "blocks", "reorg", "backup", "behind", "forked"]);
    if (event === "facts") this.#accept(random.pick([1, 7, 60]));
    else if (event === "blocks") this.#mine(random.between(1, 4));
    else if (event === "reorg") this.#reorg();
    else if (event === "backup") this.#backup();
    else await this.#lose(worker, event);
    expect(await this.cycle(worker)).toBeUndefined();
  }

  /** Runs a cycle. If the ledger is rejected, returns the reason; then nothing of it may be projected. */
  async cycle(worker: Worker): Promise<string | undefined> {
    const { world } = this;
    const before = this.#ofLedger();
    world.now += CYCLE_MS;
    this.chain.pass(world.now);
    const { failures } = await worker.cycle(world.now);
    const code = failures.map((failure) => failure.code).find((one) => one.startsWith("ledger_"));
    if (code !== undefined) expect(this.#ofLedger()).toEqual(before);
    return code;
  }

  /** Publishes the rest of the history from a valid ledger. */
  async finish(worker: Worker): Promise<void> {
    this.#accept(this.#history.facts.length);
    expect(await this.cycle(worker)).toBeUndefined();
    expect(this.projections.isBehind).toBe(false);
  }

  /** All projections of the current sources, rebuilt. */
  rebuilt(): Record<string, string[]> {
    const projections = openProjectionsInMemory();
    const { genesisTimestamp: genesis } = this.chain.state();
    const { ledger, now: at } = this.world;
    const inputs = { installationId: INSTALLATION, ledger, genesis, at, projections };
    while (step({ ...inputs, chain: this.chain.state(), chainDb: this.chain.db }, undefined));
    const rows = rowsOf(projections);
    projections.close();
    return rows;
  }

  /** All rows and cursors derived from the ledger. The chain is followed even if the ledger is rejected. */
  #ofLedger(): unknown {
    const { db } = this.projections;
    const { settlement: _, round_funding: __, activity_event: ___, ...rows } = rowsOf(db);
    const milestones = db.prepare("SELECT * FROM activity_event WHERE block_number IS NULL ORDER BY key").all();
    return [rows, milestones, [RECEIPTS, ROUNDS, SUBMISSIONS].map((name) => readCursor(db, name))];
  }

  #accept(count: number): void {
    accept(this.world.ledger, this.#history.facts.slice(this.#taken, this.#taken + count));
    this.#taken = Math.min(this.#history.facts.length, this.#taken + count);
  }

  #mine(blocks: number): void {
    for (let n = 0; n < blocks; n++) {
      const kind = this.#random.pick(KINDS);
      const round = BigInt(++this.#blocks);
      this.chain.mine((blockNumber) => [fundingEvent(blockNumber, 0, round, 7n), kind({ blockNumber, logIndex: 1 })]);
    }
  }

  #reorg(): void {
    this.chain.rewind(BigInt(FIRST_BLOCK + this.#random.between(0, this.#blocks)));
    this.#mine(this.#random.between(0, 3));
  }

  #backup(): void {
    const path = join(this.world.folder, `backup-${this.#backups.length}.db`);
    this.world.ledger.prepare("VACUUM INTO ?").run(path);
    this.#backups.push({ path, taken: this.#taken });
  }

  /**
   * Replaces the ledger by an older backup for a cycle; a fork then gets other facts. Afterwards the ledger returns, or
   * the backup gets the missing facts again.
   */
  async #lose(worker: Worker, how: "behind" | "forked"): Promise<void> {
    const old: Backup = this.#random.pick(this.#backups);
    const taken = this.#taken;
    this.#backup();
    await this.#restore(old.path);
    if (how === "forked") accept(this.world.ledger, this.#history.facts.slice(old.taken, taken).map(altered));
    const refusal = await this.cycle(worker);
    if (refusal !== undefined) this.refusals.push(refusal);
    const isIngestedAgain = how === "behind" && this.#random.chance(0.5);
    this.#taken = isIngestedAgain ? old.taken : taken;
    if (isIngestedAgain) this.#accept(taken - old.taken);
    else await this.#restore(this.#backups.at(-1)?.path ?? "");
  }

  /** Restores with SQLite's backup API onto the ledger's file, while the publisher has it open. */
  async #restore(path: string): Promise<void> {
    const from = new SqliteDatabase(path);
    await from.backup(this.world.ledgerPath);
    from.close();
  }
}

function altered(fact: Fact): Fact {
  if (fact.type === "receipt") return { ...fact, speedMmPerSecond: fact.speedMmPerSecond + 1 };
  if (fact.type === "round") return { ...fact, workUnits: fact.workUnits + 1n };
  return fact.type === "submission" ? { ...fact, preparedAt: fact.preparedAt - 1 } : fact;
}

/** Returns the reasons of the cycles that rejected the ledger. */
async function check(seed: number): Promise<readonly string[]> {
  const life = new Life(seed);
  const { world, chain, projections } = life;
  const worker = await world.work({ chain, projections });
  const events = 6 + (seed % 10);
  try {
    await life.cycle(worker);
    for (let n = 0; n < events; n++) await life.happen(worker);
    await life.finish(worker);
    expect(rowsOf(projections.db), `seed ${seed}`).toEqual(life.rebuilt());
  } catch (error) {
    throw new Error(`seed ${seed}`, { cause: error });
  } finally {
    await worker.stop();
    chain.db.close();
    world.end();
  }
  return life.refusals;
}
