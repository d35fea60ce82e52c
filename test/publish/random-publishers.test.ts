/**
 * Two or three publishers with different clocks, each with a copy of the ledger. Each may stop at any store request, be
 * replaced, and resume later; its put is then executed if its condition holds. Nothing goes back, also not the head,
 * and the end state equals a first publish.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { EXIT, exitCodeOf } from "../../bin/cli/failures.ts";
import { WatchedClock } from "../../publish/clock/clock.ts";
import type { Head } from "../../publish/head/head.ts";
import { type Standby, standby } from "../../publish/head/take.ts";
import { HEAD_KEY } from "../../src/http/keys.ts";
import type { Signer } from "../../src/log/signer.ts";
import type { ObjectStore } from "../../src/object-store/object-store.ts";
import { Failure } from "../../src/values/failure.ts";
import { MemoryStore } from "../support/memory-store.ts";
import { Random, seeds } from "../support/random.ts";
import { steppedStore } from "../support/stepped-store.ts";
import { BodyTaggedStore, Bucket } from "./model/bucket.ts";
import { IDS, type ModelLedger } from "./model/ledgers.ts";
import { Reader } from "./model/reader.ts";
import { firstChain, ModelSources, mineEvent } from "./model/sources.ts";
import { LOG_KEY, Watcher } from "./model/watcher.ts";
import { type Opened, START, type Worker, World } from "./world.ts";

const SECONDS = 250;
/** From here on nothing stops and no fact arrives. */
const QUIET_SECONDS = 150;
const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
/** Number of story lines in a failure message. */
const LOGGED_LINES = 30;

/** One publisher: a process that is restarted when it ends. */
class Actor {
  readonly name: string;
  /** A replica of the correct ledger. */
  readonly ledger: ModelLedger;
  /** Milliseconds by which its clock is ahead. */
  readonly aheadMs: number;
  opened: Opened | undefined;
  standby: Standby | undefined;
  worker: Worker | undefined;
  /** Its pending work while it is stopped at a request. */
  doing: Promise<void> | undefined;
  /** While the process is stopped, all its requests wait for this. */
  stopped: PromiseWithResolvers<void> | undefined;

  constructor(name: string, ledger: ModelLedger, aheadMs: number) {
    this.name = name;
    this.ledger = ledger;
    this.aheadMs = aheadMs;
  }
}

class Story {
  readonly #log: string[] = [];
  readonly #world = new World();
  readonly #random: Random;
  readonly #bucket: Bucket;
  readonly #reader: Reader;
  readonly #watcher: Watcher;
  readonly #sources: ModelSources;
  readonly #chain = firstChain();
  readonly #actors: Actor[];
  readonly #wrong: string[] = [];
  #isQuiet = false;
  /** The newest head that was stored. */
  #newest = { epoch: 0, seq: 0, size: 0 };

  /** The keys of a public log, in every other story. */
  readonly #signers: readonly Signer[];

  constructor(seed: number) {
    const random = new Random(seed);
    this.#signers = seed % 2 === 0 ? [LOG_KEY] : [];
    this.#random = random;
    this.#bucket = new Bucket(random.once(2) ? new BodyTaggedStore() : new MemoryStore());
    this.#reader = new Reader(this.#bucket.stored);
    this.#watcher = new Watcher(this.#reader, () => this.#world.now);
    this.#world.now = START + 6 * HOUR;
    this.#sources = new ModelSources(this.#world.folder, random);
    this.#sources.grow(this.#sources.ledger, 200);
    const names = ["a", "b", "c"].slice(0, 2 + random.below(2));
    this.#actors = names.map((name) => new Actor(name, this.#sources.add(), (random.below(41) - 20) * SECOND));
    for (const { ledger } of this.#actors) this.#replicate(ledger);
    this.#chain.pass(this.#world.now);
  }

  async tell(): Promise<void> {
    for (let second = 0; second < SECONDS + QUIET_SECONDS; second++) {
      this.#isQuiet = second >= SECONDS;
      await this.#second();
      const wrong = [...this.#watcher.wrong, ...this.#wrong];
      expect([...wrong, ...(wrong.length > 0 ? this.#log.slice(-LOGGED_LINES) : [])]).toEqual([]);
    }
    await this.#compare();
  }

  async end(): Promise<void> {
    for (const actor of this.#actors) {
      actor.stopped?.resolve();
      actor.stopped = undefined;
      await actor.doing;
      actor.opened?.close();
    }
    this.#sources.end();
    this.#chain.db.close();
    this.#world.end();
  }

  async #second(): Promise<void> {
    const random = this.#random;
    this.#world.now += SECOND;
    if (random.once(20)) this.#chain.pass(this.#world.now);
    if (!this.#isQuiet) await this.#change();
    for (const actor of this.#actors) if (this.#isQuiet || random.once(4)) this.#replicate(actor.ledger);
    const order = this.#actors.toSorted(() => random.below(3) - 1);
    for (const actor of order) {
      if (actor.doing === undefined) await this.#let(actor, this.#tick(actor));
      else if (this.#isQuiet || random.once(15)) await this.#continue(actor);
    }
  }

  async #change(): Promise<void> {
    const random = this.#random;
    if (random.once(5)) this.#sources.grow(this.#sources.ledger, 12);
    if (random.once(40)) mineEvent(this.#chain, random, this.#world.now);
    // Without a holder, an operator has to restore the head.
    if (random.once(150) && this.#actors.some(({ worker }) => worker !== undefined)) {
      await this.#bucket.damage(HEAD_KEY, random.pick(["lost", "damaged"]), () => 0);
      this.#log.push("the head is lost or damaged");
    }
  }

  /** A replica gets all or some of the facts that it lacks, in their order. */
  #replicate(replica: ModelLedger): void {
    const lacking = this.#sources.ledger.order.slice(replica.order.length);
    const isWhole = this.#isQuiet || this.#random.once(2);
    const count = isWhole ? lacking.length : this.#random.below(1 + lacking.length);
    replica.take(lacking.slice(0, count), this.#random);
  }

  // Processes.

  /** Waits until the actor has finished its action or has stopped. */
  async #let(actor: Actor, doing: Promise<void>): Promise<void> {
    actor.doing = doing.finally(() => {
      actor.doing = undefined;
    });
    await this.#rest(actor);
  }

  async #continue(actor: Actor): Promise<void> {
    this.#log.push(`${actor.name} resumes`);
    actor.stopped?.resolve();
    actor.stopped = undefined;
    await this.#rest(actor);
  }

  async #rest(actor: Actor): Promise<void> {
    while (actor.doing !== undefined && actor.stopped === undefined) await nextTurn();
  }

  /**
   * An actor may stop before any of its requests. While it is stopped, another one may resume within its own requests.
   */
  #storeOf(actor: Actor): ObjectStore {
    return steppedStore(this.#watched(actor), async (call) => {
      const other = this.#random.pick(this.#actors);
      if (other !== actor && other.stopped !== undefined && this.#random.once(60)) await this.#continue(other);
      if (!this.#isQuiet && this.#random.once(150)) this.#stop(actor);
      await actor.stopped?.promise;
      const result = await call();
      await actor.stopped?.promise;
      return result;
    });
  }

  #stop(actor: Actor): void {
    if (actor.stopped !== undefined) return;
    this.#log.push(`${actor.name} stops`);
    actor.stopped = Promise.withResolvers();
  }

  /** Reads after each change. The head may not get an earlier epoch. */
  #watched({ name }: Actor): ObjectStore {
    const store = this.#bucket;
    return {
      name: store.name,
      get: (key, options) => store.get(key, options),
      list: (prefix) => store.list(prefix),
      put: async (key, object, condition) => {
        const tag = await store.put(key, object, condition);
        if (key === HEAD_KEY) this.#judgeHead(name, JSON.parse(new TextDecoder().decode(object.body)));
        await this.#watcher.lookAt(key, `after ${name} has put ${key}`);
        return tag;
      },
      delete: async (key) => {
        await store.delete(key);
        await this.#watcher.lookAt(key, `after ${name} has deleted ${key}`);
      },
    };
  }

  #judgeHead(name: string, { lease: { epoch }, seq, log }: Head): void {
    const { epoch: was, seq: before, size } = this.#newest;
    if (epoch < was || (epoch === was && seq <= before) || log.size < size) {
      this.#wrong.push(`${name} puts the head ${epoch} ${seq} ${log.size} over ${was} ${before} ${size}`);
    }
    this.#newest = { epoch, seq, size: log.size };
  }

  async #tick(actor: Actor): Promise<void> {
    try {
      await (actor.worker === undefined ? this.#wait(actor) : this.#publish(actor, actor.worker));
      if (actor.worker !== undefined && !this.#isQuiet && this.#random.once(60))
        await this.#stopCleanly(actor, actor.worker);
    } catch (error) {
      const isForeseen = error instanceof Failure && (exitCodeOf(error) === EXIT.locked || error.code === "head_lost");
      if (!isForeseen) throw error;
      this.#log.push(`${actor.name} ends: ${error.code}`);
      this.#forget(actor);
    }
  }

  async #publish(actor: Actor, { publisher }: Worker): Promise<void> {
    await publisher.renewIfDue();
    const at = publisher.instant(this.#world.now + actor.aheadMs);
    if (publisher.isIdle(at)) return;
    const { failures, rows } = await publisher.cycle(at);
    const failed = rows.filter(({ action }) => action === "failed").map(({ key, why }) => `${key} ${why}`);
    const problems = [...failures.map(({ code }) => code), ...failed];
    if (problems.length > 0) this.#log.push(`${actor.name}: ${problems.join(", ")}`);
  }

  async #stopCleanly(actor: Actor, worker: Worker): Promise<void> {
    this.#log.push(`${actor.name} releases the lease`);
    await worker.publisher.release();
    this.#forget(actor);
  }

  #forget(actor: Actor): void {
    actor.opened?.close();
    actor.opened = undefined;
    actor.standby = undefined;
    actor.worker = undefined;
  }

  async #wait(actor: Actor): Promise<void> {
    actor.opened ??= this.#open(actor);
    actor.standby ??= standby(actor.opened.candidate);
    const held = await actor.standby.tryTake();
    if (held === undefined) return actor.opened.standby.followIfDue(actor.standby.head);
    this.#log.push(`${actor.name} takes the lease, epoch ${held.epoch}`);
    actor.worker = actor.opened.begin(held);
  }

  #open(actor: Actor): Opened {
    const clock = new WatchedClock({ wall: () => this.#world.now + actor.aheadMs, monotonic: () => this.#world.now });
    return this.#world.open({
      store: this.#storeOf(actor),
      state: `state-${actor.name}`,
      ledgerPath: actor.ledger.path,
      genesisTimestamp: START / SECOND,
      signers: this.#signers,
      chain: this.#chain,
      clock,
    });
  }

  // The end.

  async #compare(): Promise<void> {
    const store = new MemoryStore();
    const options = { store, state: "first", ledgerPath: this.#sources.ledger.path, chain: this.#chain };
    const worker = await this.#world.work({ ...options, genesisTimestamp: START / SECOND });
    await worker.publisher.cycle(this.#world.now);
    await worker.stop();
    const [now, first] = [this.#reader, new Reader(store)].map((reader) => reader.everything(IDS, this.#world.now));
    expect(await now, this.#log.slice(-LOGGED_LINES).join("\n")).toEqual(await first);
  }
}

let story: Story | undefined;
afterEach(() => story?.end());

test.each(seeds(2))(
  "with the random publishers of seed %d nothing goes back, and the last one publishes correctly",
  async (seed) => {
    story = new Story(seed);
    await story.tell();
  },
);
