/**
 * Nothing goes back in random worlds. Ledgers grow, fall behind, fork and return. The first configured id is mistyped,
 * and later another one is refused. State and index are lost or old. Requests fail or kill the publisher. A reader
 * checks after every put. A model knows which ledger must be published and which must be rejected.
 * random-chains.test.ts does the same for the chain.
 */

import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { INSTALLATIONS_KEY } from "../../src/http/keys.ts";
import { openLedgerForIntake } from "../../src/ledger/open.ts";
import type { Signer } from "../../src/log/signer.ts";
import { type ObjectStore, type StoreObject, StoreUnavailable } from "../../src/object-store/object-store.ts";
import { Random, seeds } from "../support/random.ts";
import { steppedStore } from "../support/stepped-store.ts";
import { type Expected, IDS, type Id, KINDS, PublishedLog, runs, sumOf } from "./model/ledgers.ts";
import { nothingSeen, Reader } from "./model/reader.ts";
import { ModelSources } from "./model/sources.ts";
import { LOG_KEY, Watcher } from "./model/watcher.ts";
import { START, type WorkOptions, World } from "./world.ts";

const STEPS = 25;
/** Maximum number of new receipts of an installation at once. */
const RECEIPTS = 90;
/** Number of story lines in a failure message. */
const LOGGED_STEPS = 12;

/** No ledger has facts of it. */
const MISTYPED = "whell-1" as Id;

class Died extends Error {}

class Story {
  readonly world = new World();
  readonly log: string[] = [];
  readonly #random: Random;
  readonly #sources: ModelSources;
  #states = 0;
  readonly #indexes: StoreObject[] = [];
  #at = START + 6 * 3_600_000;
  #published = new PublishedLog();
  readonly #reader = new Reader(this.world.store);
  /** A shim that runs all the time. */
  readonly #shim: Reader;
  readonly #watcher: Watcher;

  /** The keys of a public log, in every other story. */
  readonly #signers: readonly Signer[];

  constructor(seed: number) {
    this.#random = new Random(seed);
    this.#signers = seed % 2 === 0 ? [LOG_KEY] : [];
    this.#shim = new Reader(this.world.store, { remembers: this.#random.once(2) });
    this.#watcher = new Watcher(this.#shim, () => this.#at);
    this.#sources = new ModelSources(this.world.folder, this.#random);
    this.#sources.grow(this.#sources.ledger, RECEIPTS);
  }

  /** The first run may have a mistyped id, and may die. The next one corrects it. */
  async begin(): Promise<void> {
    const right = this.#sources.configured;
    if (this.#random.once(2)) {
      this.log.push("  mistyped");
      this.#sources.configured = MISTYPED;
      // The id may change until the first fact is published.
      const ledgerPath = join(this.world.folder, "no-facts.db");
      openLedgerForIntake(ledgerPath).close();
      if (this.#random.once(2)) await this.#dyingCycle({ ledgerPath });
      else await this.#disturbedCycle(this.#watched(), { ledgerPath });
      this.#at += 1_000_000;
      this.world.now = this.#at;
    }
    this.#sources.configured = right;
    await this.#cycle();
  }

  async step(): Promise<void> {
    const random = this.#random;
    const change = random.below(12);
    if (change < 3) this.#sources.grow(this.#sources.ledger, RECEIPTS);
    else if (change === 3) this.#sources.copy(RECEIPTS);
    else if (change < 6) this.#sources.ledger = random.pick(this.#sources.ledgers);
    else if (change === 6) await this.#otherInstallation();
    else if (change === 7) this.#states++;
    else if (change === 8) await this.#damageIndex();
    // A lease that was not released expires after 200 s.
    this.#at += 1_000 * (200 + random.below(300));
    this.world.now = this.#at;
    this.log.push(
      `ledger ${this.#sources.ledger.number} ${JSON.stringify(IDS.map((id) => KINDS.map((kind) => runs(this.#sources.ledger.facts[id][kind]))))}, configured ${this.#sources.configured}, state ${this.#states}`,
    );
    this.#shim.forget();
    const ending = random.below(10);
    if (ending === 0) await this.#dyingCycle();
    else if (ending === 2) await this.#failingCycle();
    else if (ending === 3) await this.#repair();
    else await this.#cycle();
    const { wrong } = this.#watcher;
    expect([...wrong, ...(wrong.length > 0 ? this.log.slice(-LOGGED_STEPS) : [])]).toEqual([]);
  }

  end(): void {
    this.#sources.end();
    this.world.end();
  }

  #options(store: ObjectStore): WorkOptions {
    return {
      store,
      installationId: this.#sources.configured,
      ledgerPath: this.#sources.ledger.path,
      state: `state-${this.#states}`,
      genesisTimestamp: START / 1000,
      signers: this.#signers,
    };
  }

  /** Reads after every put and deletion. */
  #watched(): ObjectStore {
    const { store } = this.world;
    return {
      name: store.name,
      get: (key, options) => store.get(key, options),
      list: (prefix) => store.list(prefix),
      put: async (key, object, condition) => {
        const tag = await store.put(key, object, condition);
        if (key === INSTALLATIONS_KEY) this.#indexes.push(object);
        await this.#watcher.look(`after the put of ${key}`);
        return tag;
      },
      delete: async (key) => {
        await store.delete(key);
        await this.#watcher.look(`after the deletion of ${key}`);
      },
    };
  }

  /** Telemetry with a receipt binds the prefix to its installation, so another one is refused before anything is put. */
  async #otherInstallation(): Promise<void> {
    const { configured } = this.#sources;
    if (!(await this.#reader.hasReceipt(this.#at))) return;
    const installationId = IDS.find((id) => id !== configured) ?? "wheel-2";
    const puts = this.world.store.puts.length;
    const refused = this.world.work({ ...this.#options(this.#watched()), installationId });
    await expect(refused).rejects.toMatchObject({ code: "installation_changed" });
    expect(this.world.store.puts).toHaveLength(puts);
  }

  /** One undisturbed run. */
  async #cycle(force = false): Promise<void> {
    const worker = await this.world.work({ ...this.#options(this.#watched()), force });
    const { failures } = await worker.once(this.#at);
    if (this.#random.below(4) === 0) worker.kill();
    else await worker.stop();
    await this.#judgeAll(failures);
  }

  /** `noonmark publish --once --force`, without the state directory. */
  async #repair(): Promise<void> {
    this.log.push("  repair");
    this.#states++;
    await this.#cycle(true);
  }

  async #judgeAll(failures: readonly { readonly code: string }[]): Promise<void> {
    this.#shim.forget();
    const codes = new Set(failures.map(({ code }) => code));
    // A publisher whose ledger is refused cannot put the index again.
    const isRefused = codes.has("ledger_behind") || codes.has("ledger_forked");
    this.#watcher.servesOlder &&= isRefused;
    await this.#watcher.look("after the cycle");
    this.log.push(`  ${[...codes].join(" ") || "published"}`);
    const expected = this.#expected();
    const where = () => this.log.slice(-LOGGED_STEPS).join("\n");
    if (expected === "refused") {
      expect(isRefused, where()).toBe(true);
    }
    if (expected === "either") this.#published.mayPublish(this.#sources.ledger);
    if (expected !== "published") return;
    for (const id of IDS) await this.#judge(id);
    this.#published.publish(this.#sources.ledger);
  }

  #expected(): Expected {
    return this.#published.expected(this.#sources.ledger);
  }

  /** Readers get every fact of the ledger. Of the other installation they get receipts. */
  async #judge(id: Id): Promise<void> {
    const facts = this.#sources.ledger.facts[id];
    const where = () => `${id} in ${this.log.slice(-LOGGED_STEPS).join("\n")}`;
    const now = await this.#reader.seen(id, nothingSeen(), this.#at);
    expect(now.receipts, where()).toEqual(facts.receipts);
    expect(now.telemetry, where()).toBe(facts.receipts.length);
    if (id !== this.#sources.configured) return;
    expect(now.modules, where()).toEqual(facts.modules);
    expect(now.acceptedWork, where()).toBe(sumOf(id, facts.rounds));
  }

  /** Deletes the index or restores an older version. */
  async #damageIndex(): Promise<void> {
    const { store } = this.world;
    const older = this.#random.below(2) === 0 ? undefined : this.#indexes[this.#random.below(this.#indexes.length)];
    if (older === undefined) await store.delete(INSTALLATIONS_KEY);
    else await store.put(INSTALLATIONS_KEY, older);
    this.#watcher.servesOlder = true;
    this.log.push(older === undefined ? "  the index is deleted" : "  an older index returns");
  }

  /** Dies before or after any store request. */
  async #dyingCycle(options: Partial<WorkOptions> = {}): Promise<void> {
    let left = this.#random.below(60);
    const isAfter = this.#random.below(2) === 0;
    const mortal = steppedStore(this.#watched(), async (call) => {
      if (left < 0 || (left === 0 && !isAfter)) throw new Died();
      left -= 1;
      const result = await call();
      if (left < 0) throw new Died();
      return result;
    });
    this.log.push(`  dies after ${left} calls`);
    await this.#disturbedCycle(mortal, options);
  }

  /** Some puts fail, and some of those were executed. */
  async #failingCycle(): Promise<void> {
    const watched = this.#watched();
    this.log.push("  some puts fail");
    const failing: ObjectStore = {
      ...watched,
      put: async (key, object, condition) => {
        const fate = this.#random.below(6);
        if (fate === 0) throw new StoreUnavailable(`${key}: no response`);
        const tag = await watched.put(key, object, condition);
        if (fate === 1) throw new StoreUnavailable(`${key}: the response was lost`);
        return tag;
      },
    };
    await this.#disturbedCycle(failing);
  }

  async #disturbedCycle(store: ObjectStore, options: Partial<WorkOptions> = {}): Promise<void> {
    try {
      const worker = await this.world.work({ ...this.#options(store), ...options });
      try {
        await worker.once(this.#at);
      } finally {
        if (this.#random.once(2)) worker.kill();
        else await worker.stop().catch(() => worker.kill());
      }
    } catch (error) {
      if (!(error instanceof Died) && !(error instanceof StoreUnavailable)) throw error;
    }
    if (options.ledgerPath === undefined) this.#mayPublish();
  }

  #mayPublish(): void {
    if (this.#expected() !== "refused") this.#published.mayPublish(this.#sources.ledger);
  }
}

let story: Story | undefined;
afterEach(() => story?.end());

test.each(seeds(4))(
  "in the random world of seed %d no response goes back, and the correct ledger is published",
  async (seed) => {
    story = new Story(seed);
    await story.begin();
    for (let step = 0; step < STEPS; step++) await story.step();
  },
);
