/**
 * Nothing goes back in random stores. Objects are lost, damaged, foreign or rolled back, and so is the state directory;
 * requests are executed late, clocks are wrong, facts arrive during a cycle. A reader checks after every put. After an
 * undisturbed run, everything equals a first publish.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { type Clock, WatchedClock } from "../../publish/clock/clock.ts";
import type { Signer } from "../../src/log/signer.ts";
import { FilesystemStore } from "../../src/object-store/filesystem/filesystem-store.ts";
import { StoreUnavailable } from "../../src/object-store/object-store.ts";
import type { Site } from "../../src/resources/site/site-files.ts";
import { Failure } from "../../src/values/failure.ts";
import { MemoryStore } from "../support/memory-store.ts";
import { Random, seeds } from "../support/random.ts";
import { BodyTaggedStore, Bucket, type Damage, type Fate } from "./model/bucket.ts";
import { type Expected, IDS, type Id, KINDS, ModelLedger, PublishedLog, runs } from "./model/ledgers.ts";
import { Reader } from "./model/reader.ts";
import { firstChain, ModelSources, mineEvent } from "./model/sources.ts";
import { States } from "./model/states.ts";
import { LOG_KEY, Watcher } from "./model/watcher.ts";
import { START, type Worker, type WorkOptions, World } from "./world.ts";

const STEPS = 10;
/** Maximum number of objects that are damaged at once. */
const DAMAGES = 8;
/** Number of story lines in a failure message. */
const LOGGED_STEPS = 24;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const SITE: Site = {
  program: "1.0.0",
  deployment: null,
  chainMaxAge: 600_000,
  files: [
    { path: "assets/style-0123456789ab.css", contentType: "text/css; charset=utf-8", text: "a {}" },
    {
      path: "index.html",
      contentType: "text/html; charset=utf-8",
      text: '<link href="assets/style-0123456789ab.css">',
    },
    { path: "robots.txt", contentType: "text/plain; charset=utf-8", text: "User-agent: *\n" },
  ],
};

const FATES: readonly Fate[] = ["lost", "unanswered", "late", "repeated"];

class Died extends Error {}

class Story {
  readonly log: string[] = [];
  readonly #world = new World();
  readonly #random: Random;
  readonly #isCalm: boolean;
  readonly #bucket: Bucket;
  readonly #reader: Reader;
  readonly #states = new States(this.#world.folder);
  readonly #chain = firstChain();
  readonly #sources: ModelSources;
  /** The ledger that was published last. */
  #right: ModelLedger;
  #published = new PublishedLog();
  readonly #watcher: Watcher;
  /** Objects were damaged since the last undisturbed run, and this ledger is the correct one. */
  #damaged: ModelLedger | undefined;
  /** The next process trusts the state directory. */
  #isStateKept = true;
  /** The last published instant, by whichever clock. */
  #publishedAt = 0;

  /** `stored` is the underlying store, by default in memory. In a calm story nothing happens during a run. */
  /** The keys of a public log, in every other story. */
  readonly #signers: readonly Signer[];

  constructor(seed: number, { stored, isCalm = false }: { stored?: FilesystemStore; isCalm?: boolean } = {}) {
    this.#random = new Random(seed);
    this.#signers = seed % 2 === 0 ? [LOG_KEY] : [];
    this.#isCalm = isCalm;
    const inMemory = this.#random.once(2) ? new BodyTaggedStore() : new MemoryStore();
    this.#bucket = new Bucket(stored ?? inMemory);
    this.#bucket.onChange = (what, key) => this.#watcher.lookAt(key, `after ${what} of ${key}`);
    this.#reader = new Reader(this.#bucket.stored);
    this.#watcher = new Watcher(this.#reader, () => this.#world.now);
    this.#world.now = START + 6 * HOUR;
    this.#sources = new ModelSources(this.#world.folder, this.#random);
    this.#sources.configured = this.#random.pick(IDS);
    this.#right = this.#sources.ledger;
    this.#sources.grow(this.#right, 200);
  }

  async step(): Promise<void> {
    const random = this.#random;
    const isSoon = random.once(3);
    if (!isSoon) await this.#doLatePuts(0);
    this.#changeSources(isSoon);
    if (random.once(3)) await this.#damageObjects();
    if (random.once(4)) {
      this.log.push(`  the state: ${this.#states.change(random)}`);
      this.#isStateKept = false;
    }
    this.#pass(
      isSoon ? random.below(40) * SECOND : random.once(4) ? HOUR + MINUTE : 200 * SECOND + random.below(300) * SECOND,
    );
    if (this.#damaged !== undefined && !this.#isStateKept) this.#sources.ledger = this.#damaged;
    this.#logStep();
    try {
      await this.#run();
    } catch (error) {
      if (!(error instanceof Failure) || !this.#isForeseen(error)) throw error;
      this.log.push(`  ${error.code}`);
    }
    const { wrong } = this.#watcher;
    expect([...wrong, ...(wrong.length > 0 ? this.log.slice(-LOGGED_STEPS) : [])]).toEqual([]);
  }

  /** Every object, without its writer and the publishers' status. */
  async objects(): Promise<Record<string, unknown>> {
    const objects: Record<string, unknown> = {};
    for (const key of await this.#bucket.keys()) {
      if (key.startsWith("private")) continue;
      const found = await this.#bucket.stored.get(key).catch(() => undefined);
      objects[key] = found && { body: Buffer.from(found.body).toString(), metadata: found.metadata };
    }
    return objects;
  }

  end(): void {
    this.#sources.end();
    this.#chain.db.close();
    this.#world.end();
  }

  #logStep(): void {
    const facts = IDS.map((id) => KINDS.map((kind) => runs(this.#sources.ledger.facts[id][kind])));
    const at = new Date(this.#world.now).toISOString();
    this.log.push(
      `${at} ledger ${this.#sources.ledger.number} ${JSON.stringify(facts)}, configured ${this.#sources.configured}, ${this.#states.name}`,
    );
  }

  /** A holder may still be alive, or a clock may have been ahead. */
  #isForeseen({ code }: Failure): boolean {
    return code === "clock_behind" ? this.#isClockBehind() : code === "lease_held" || code === "head_lost";
  }

  #isClockBehind(): boolean {
    return this.#publishedAt - this.#world.now > MINUTE;
  }

  // Sources.

  #changeSources(isSoon: boolean): void {
    const [random, sources] = [this.#random, this.#sources];
    const change = random.below(8);
    if (change < 3) sources.grow(sources.ledger, 60);
    else if (!isSoon && change === 3) sources.copy(60);
    else if (!isSoon && change === 4) sources.ledger = random.pick(sources.ledgers);
    if (!isSoon && this.#expected() === "refused" && random.once(2)) sources.ledger = this.#right;
    if (random.once(3)) mineEvent(this.#chain, random, this.#world.now);
  }

  /** Polls the chain as often as a publisher does. */
  #pass(ms: number): void {
    this.#world.now += ms;
    this.#chain.pass(this.#world.now);
  }

  /** Statistics wait for half a minute after the last published instant, which a wrong clock may have set ahead. */
  #passInterval(): void {
    this.#pass(Math.max(0, this.#publishedAt - this.#world.now) + 31 * SECOND);
  }

  // Damage.

  /** Only while the model knows exactly what is published, because a lost object also loses its recorded facts. */
  async #damageObjects(): Promise<void> {
    const random = this.#random;
    const isCertain = this.#expected() === "published";
    if (this.#damaged === undefined && !isCertain) return;
    const keys = await this.#bucket.keys();
    if (keys.length === 0) return;
    this.#damaged ??= this.#sources.ledger;
    for (let count = 1 + random.below(DAMAGES); count > 0; count--) {
      const key = random.pick(keys);
      const damage = random.pick<Damage>(["lost", "damaged", "foreign", "older"]);
      if (damage !== "older" && !(await this.#bucket.keys()).includes(key)) continue;
      const what = await this.#bucket.damage(key, damage, (versions) => random.below(versions));
      if (what === undefined) continue;
      if (damage === "older") this.#watcher.servesOlder = true;
      if (key.startsWith("log/")) this.#watcher.isLogDamaged = true;
      this.log.push(`  ${what}`);
      await this.#watcher.look(`after ${what}`);
    }
  }

  // Runs.

  #options(overrides: WorkOptions = {}): WorkOptions {
    return {
      store: this.#bucket,
      installationId: this.#sources.configured,
      ledgerPath: this.#sources.ledger.path,
      state: this.#states.name,
      genesisTimestamp: START / SECOND,
      chain: this.#chain,
      site: SITE,
      signers: this.#signers,
      ...overrides,
    };
  }

  #clock(aheadMs: number): WatchedClock {
    const { clock } = this.#world;
    return new WatchedClock({ wall: () => clock.wall() + aheadMs, monotonic: () => clock.monotonic() });
  }

  async #run(): Promise<void> {
    const random = this.#random;
    const kind = this.#isCalm ? 4 : random.below(9);
    if (kind === 0) await this.#dyingRun();
    else if (kind === 1) await this.#failingRun(false);
    else if (kind === 2) await this.#failingRun(true);
    else if (kind === 3) await this.#wrongClockRun();
    else if (kind === 8) await this.#repairRun();
    else await this.#wholeRun();
  }

  async #cycle(worker: Worker, clock: Clock = this.#world.clock): Promise<string> {
    const { publisher } = worker;
    await publisher.renewIfDue().catch(ignoreOutage);
    const at = publisher.instant(clock.wall());
    this.#publishedAt = Math.max(this.#publishedAt, at);
    const { failures, rows } = await publisher.cycle(at);
    const failed = rows.flatMap(({ action, key, why }) => (action === "failed" ? [`${key}: ${why}`] : []));
    return [...new Set(failures.map(({ code }) => code)), ...failed].join(" ");
  }

  /** One process, which may end in any way. If `use` throws, the process is killed. */
  async #process(options: WorkOptions, use: (worker: Worker) => Promise<void>): Promise<void> {
    const worker = await this.#world.work(options);
    let isDead = true;
    try {
      await use(worker);
      if (!this.#random.once(4)) isDead = !(await hasStopped(worker));
    } finally {
      this.#states.keepCopy();
      if (isDead) {
        worker.kill();
        this.#states.kill();
        this.log.push("  killed");
      }
      this.#isStateKept = !isDead;
    }
  }

  /** An undisturbed run, except that facts may arrive during its first cycle. */
  async #wholeRun(): Promise<void> {
    await this.#process(this.#options(), (worker) => this.#wholeCycles(worker));
  }

  async #wholeCycles(worker: Worker): Promise<void> {
    const random = this.#random;
    const arrived =
      !this.#isCalm && random.once(3) ? await this.#withArrivals(() => this.#cycle(worker)) : await this.#cycle(worker);
    this.log.push(`  a run: ${arrived || "published"}`);
    // The next cycle publishes the facts that arrived during this one, and statistics after their interval.
    this.#passInterval();
    const codes = await this.#cycle(worker);
    const isPublished = this.#expected() === "published";
    if (this.#damaged !== undefined && isPublished) {
      await this.#scrub(worker);
    }
    await this.#judge(codes);
    if (isPublished) this.#heal();
    await this.#watcher.look("after the run");
  }

  /** Facts arrive during some store requests. */
  async #withArrivals<T>(work: () => Promise<T>): Promise<T> {
    let left = this.#random.below(20);
    this.#bucket.step = (call) => {
      if (left-- === 0) {
        this.#sources.grow(this.#sources.ledger, 30);
        this.log.push(`  facts arrive`);
        left = this.#random.below(40);
      }
      return call();
    };
    try {
      return await work();
    } finally {
      this.#bucket.step = (call) => call();
    }
  }

  /** Dies before or after any store request. */
  async #dyingRun(): Promise<void> {
    let left = this.#random.below(90);
    const isAfter = this.#random.once(2);
    this.log.push(`  dies after ${left} calls`);
    this.#bucket.step = async (call) => {
      if (left < 0 || (left === 0 && !isAfter)) throw new Died();
      left -= 1;
      const result = await call();
      if (left < 0) throw new Died();
      return result;
    };
    this.#mayPublish();
    try {
      await this.#process(this.#options(), async (worker) => void (await this.#cycle(worker)));
    } catch (error) {
      if (!(error instanceof Died)) throw error;
    } finally {
      this.#bucket.step = (call) => call();
    }
  }

  /** Some puts are lost, rejected or late. If the process continues, it corrects all of it. */
  async #failingRun(continues: boolean): Promise<void> {
    this.log.push(`  some puts fail, and the process ${continues ? "continues" : "ends"}`);
    this.#mayPublish();
    try {
      await this.#process(this.#options(), async (worker) => {
        this.#bucket.fate = () => (this.#random.once(4) ? this.#random.pick(FATES) : "done");
        // A lost renewal of the lease ends a cycle.
        this.log.push(`  ${await this.#cycle(worker).catch(ignoreOutage)}`);
        if (continues) await this.#continueRun(worker);
      });
    } finally {
      this.#bucket.fate = () => "done";
    }
  }

  async #continueRun(worker: Worker): Promise<void> {
    this.#bucket.fate = () => "done";
    for (let pause = 0; pause < 4; pause++) {
      await this.#doLatePuts(pause === 1 ? 0 : 3);
      if (pause > 0 || this.#random.once(2)) this.#sources.grow(this.#sources.ledger, 5);
      this.#mayPublish();
      this.#passInterval();
      this.log.push(`  ${await this.#cycle(worker)}`);
    }
    const isPublished = this.#expected() === "published";
    if (this.#damaged !== undefined && isPublished) await this.#scrub(worker);
    await this.#judge(await this.#cycle(worker));
    if (isPublished) this.#heal();
  }

  async #wrongClockRun(): Promise<void> {
    const ahead = this.#random.pick([-10 * MINUTE, -45 * SECOND, 20 * SECOND, 59 * SECOND, 5 * MINUTE]);
    this.log.push(`  its clock is ahead by ${ahead / SECOND} s`);
    this.#mayPublish();
    const clock = this.#clock(ahead);
    try {
      await this.#process(this.#options({ clock }), async (worker) => {
        this.log.push(`  ${await this.#cycle(worker, clock)}`);
      });
    } catch (error) {
      const isBehind = error instanceof Failure && error.code === "clock_behind";
      if (!isBehind || this.#publishedAt - clock.wall() <= MINUTE) throw error;
      this.log.push("  clock_behind");
    }
  }

  /** `noonmark publish --once --force`, from a new state directory. */
  async #repairRun(): Promise<void> {
    this.log.push("  repair");
    const options = this.#options({
      state: `repair-${this.log.length}`,
      force: true,
      opens: { acceptClock: true, newHead: true },
    });
    const worker = await this.#world.work(options);
    try {
      const at = worker.publisher.instant(this.#world.now);
      this.#publishedAt = at;
      const { failures } = await worker.publisher.once(at);
      const codes = [...new Set(failures.map(({ code }) => code))].join(" ");
      this.log.push(`  ${codes || "published"}`);
      await this.#judge(codes);
      if (this.#expected() === "published") this.#heal();
    } finally {
      await worker.stop();
      this.#isStateKept = false;
    }
  }

  /** Executes all but `left` late puts, in any order. */
  async #doLatePuts(left: number): Promise<void> {
    while (this.#bucket.latePuts > left) {
      this.log.push("  a late put is done");
      await this.#bucket.doLatePut(this.#random.below(this.#bucket.latePuts));
    }
  }

  // Properties.

  #expected(): Expected {
    return this.#published.expected(this.#sources.ledger);
  }

  #mayPublish(): void {
    if (this.#expected() !== "refused") this.#published.mayPublish(this.#sources.ledger);
  }

  /** A scrub of every object, and the cycles that become due. */
  async #scrub(worker: Worker): Promise<void> {
    const { publisher } = worker;
    for (let left = 2 * (await this.#bucket.keys()).length + 20; left > 0; left--) {
      this.#world.now += 5 * SECOND;
      await publisher.renewIfDue();
      await publisher.scrubIfDue(this.#world.now);
      if (!publisher.isIdle(this.#world.now)) await this.#cycle(worker);
    }
    this.#passInterval();
    await this.#cycle(worker);
    this.log.push("  scrubbed");
  }

  /** Everything that was damaged must be correct. */
  #heal(): void {
    this.#damaged = undefined;
    this.#watcher.servesOlder = false;
    this.#watcher.isLogDamaged = false;
  }

  async #judge(codes: string): Promise<void> {
    const own = this.#expected();
    const where = () => this.log.slice(-LOGGED_STEPS).join("\n");
    if (own === "refused") expect(codes, where()).toMatch(/ledger_(?:behind|forked)/);
    if (own === "either") this.#mayPublish();
    if (own !== "published") return;
    const ids = this.#publishedIds();
    const [now, first] = await Promise.all([
      this.#reader.everything(ids, this.#world.now),
      this.#firstPublish().then((reader) => reader.everything(ids, this.#world.now)),
    ]);
    expect(now, where()).toEqual(first);
    this.#right = this.#sources.ledger;
    this.#published.publish(this.#sources.ledger);
  }

  /** The configured installation, and the other if it has receipts. */
  #publishedIds(): Id[] {
    const other = IDS.find((id) => id !== this.#sources.configured) ?? "wheel-2";
    const isPublished = this.#sources.ledger.facts[other].receipts.length > 0;
    return isPublished ? [this.#sources.configured, other] : [this.#sources.configured];
  }

  /** Everything that a publisher without state publishes into an empty store. */
  async #firstPublish(): Promise<Reader> {
    const store = new MemoryStore();
    const worker = await this.#world.work(
      this.#options({ store, state: `first-${this.log.length}-${this.#world.now}` }),
    );
    await worker.publisher.cycle(this.#world.now);
    await worker.stop();
    return new Reader(store);
  }
}

/** Returns false if the lease could not be released. */
async function hasStopped(worker: Worker): Promise<boolean> {
  try {
    await worker.stop();
    return true;
  } catch (error) {
    ignoreOutage(error);
    return false;
  }
}

/** A continuous publisher tries again. */
function ignoreOutage(error: unknown): void {
  if (!(error instanceof StoreUnavailable)) throw error;
}

const stories: Story[] = [];
const folders: string[] = [];
afterEach(() => {
  for (const story of stories.splice(0)) story.end();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function tell(seed: number, options: ConstructorParameters<typeof Story>[1] = {}): Story {
  const story = new Story(seed, options);
  stories.push(story);
  return story;
}

function directory(): FilesystemStore {
  const folder = mkdtempSync(join(tmpdir(), "noonmark-random-"));
  folders.push(folder);
  return new FilesystemStore(folder, { write: true });
}

test.each(seeds(2))(
  "in the random store of seed %d nothing goes back, and an undisturbed run equals a first publish",
  async (seed) => {
    const story = tell(seed);
    for (let step = 0; step < STEPS; step++) await story.step();
  },
);

test.each(seeds(1))("the story of seed %d puts the same objects into memory and into a directory", async (seed) => {
  const [one, other] = [tell(seed, { isCalm: true }), tell(seed, { isCalm: true, stored: directory() })];
  for (let step = 0; step < STEPS / 2; step++) {
    await one.step();
    await other.step();
    expect(await other.objects()).toEqual(await one.objects());
  }
});

test.each(seeds(1))("the story of seed %d also holds in a directory", async (seed) => {
  const story = tell(seed, { stored: directory() });
  for (let step = 0; step < STEPS / 2; step++) await story.step();
});
