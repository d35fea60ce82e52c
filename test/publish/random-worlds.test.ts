/**
 * Nothing goes back in random worlds: ledgers that grow, fall behind, fork and return, another configured installation, lost
 * state, a lost or older index, deaths and failures at any call to the store, new histories. A reader looks after every put. A
 * model knows which ledger must be published and which must be refused. random-chains.test.ts does the same for the chain.
 */
import { join } from "node:path";
import type { Database } from "better-sqlite3";
import { afterEach, expect, test } from "vitest";
import { INSTALLATIONS_KEY } from "../../src/http/keys.ts";
import { ingest } from "../../src/ledger/ingest.ts";
import { openLedgerForIntake } from "../../src/ledger/open.ts";
import { type ObjectStore, type StoreObject, StoreUnavailable } from "../../src/object-store/object-store.ts";
import { closure, instant, type Json, module, receipt, round, uuid } from "../ledger/samples.ts";
import { steppedStore } from "../support/stepped-store.ts";
import { START, type WorkOptions, World } from "./world.ts";

const FIRST_SEED = Number(process.env.NOONMARK_SEED ?? 1);
const SEEDS = Number(process.env.NOONMARK_SEEDS ?? 8);
const STEPS = 25;
/** Lines of the story in a failure. */
const LOGGED_STEPS = 12;
const IDS = ["wheel-1", "wheel-2"] as const;
type Id = (typeof IDS)[number];
const KINDS = ["receipts", "rounds", "modules"] as const;
type Kind = (typeof KINDS)[number];

/** Each fact is the number of the ledger that made it: two ledgers share the facts that one of them was copied with. */
type Facts = Readonly<Record<Kind, readonly number[]>>;
const NO_FACTS: Facts = { receipts: [], rounds: [], modules: [] };
/** Facts of ledgers that are not copies of each other differ by this. */
const LEDGERS = 10;

class ModelLedger {
  readonly db: Database;
  readonly facts: Record<Id, Facts> = { "wheel-1": NO_FACTS, "wheel-2": NO_FACTS };
  readonly path: string;
  readonly number: number;

  constructor(path: string, number: number) {
    this.path = path;
    this.number = number;
    this.db = openLedgerForIntake(path);
  }

  /** Accepts facts in batches of random size. */
  take(id: Id, added: Facts, random: Random): void {
    const before = this.facts[id];
    const after = Object.fromEntries(
      KINDS.map((kind) => [kind, [...before[kind], ...added[kind]]]),
    ) as unknown as Facts;
    const records = KINDS.flatMap((kind) =>
      added[kind].flatMap((maker, index) => recordsOf(id, kind, before[kind].length + index, maker)),
    );
    while (records.length > 0) {
      const batch = records.splice(0, 1 + random.below(records.length));
      expect(ingest(this.db, batch).rejected).toBe(0);
    }
    this.facts[id] = after;
  }
}

function recordsOf(id: Id, kind: Kind, index: number, maker: number): Json[] {
  const installationId = id;
  const base = id === "wheel-1" ? 0 : 0x10_0000;
  if (kind === "receipts") {
    const n = index + 1;
    // Some forks have the same ids with other values.
    const telemetryId = uuid(base + n + (maker % 2 === 0 ? 0 : maker * 0x1_0000));
    return [receipt(n, { installationId, telemetryId, cumulativeWorkUnits: String(LEDGERS * n + maker) })];
  }
  const at = instant(600 * (index + 1));
  if (kind === "rounds") {
    const workUnits = String(workOf(id, maker));
    return [
      round(index, { installationId, workUnits, closedAt: at }),
      closure(index, index, { installationId, acceptedAt: at }),
    ];
  }
  return [module({ installationId, instanceId: `m${index}`, moduleVersion: `1.0.${maker}`, observedAt: at })];
}

/** The statistics do not say whose they are: the size of their sum does. */
function workOf(id: Id, maker: number): number {
  return (id === "wheel-1" ? 1 : 1_000_000) * (100 + maker);
}

class Random {
  #state: number;
  constructor(seed: number) {
    this.#state = seed;
  }
  /** 0 to `limit` - 1. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }
  of<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }
}

/** The newest facts of an installation that readers have got. They may only grow. */
interface Seen {
  receipts: readonly number[];
  /** The sequence of the newest receipt in telemetry. */
  telemetry: number;
  modules: readonly number[];
  acceptedWork: number;
}

/** Published facts of an installation, and facts that a cycle may have put before it died. */
interface Published {
  certain: Facts;
  possible: Facts[];
}

class Died extends Error {}

class Story {
  readonly world = new World();
  readonly log: string[] = [];
  readonly #random: Random;
  readonly #ledgers: ModelLedger[] = [];
  #ledger: ModelLedger;
  #configured: Id = "wheel-1";
  #states = 0;
  /** While its new history begins, readers get parts of both histories. */
  #abandoned: Id | undefined;
  /** Since somebody changed the index, readers may get anything until a publisher has run. */
  #isIndexDamaged = false;
  readonly #indexes: StoreObject[] = [];
  readonly #wentBack: string[] = [];
  #at = START + 6 * 3_600_000;
  readonly #seen: Record<Id, Seen> = { "wheel-1": nothingSeen(), "wheel-2": nothingSeen() };
  readonly #published: Record<Id, Published> = { "wheel-1": nothingPublished(), "wheel-2": nothingPublished() };

  constructor(seed: number) {
    this.#random = new Random(seed);
    this.#ledger = this.#newLedger();
    this.#grow(this.#ledger);
  }

  async step(): Promise<void> {
    const random = this.#random;
    const change = random.below(12);
    if (change < 3) this.#grow(this.#ledger);
    else if (change === 3) this.#copy();
    else if (change < 6) this.#ledger = random.of(this.#ledgers);
    else if (change === 6) this.#configured = random.of(IDS);
    else if (change === 7) this.#states++;
    else if (change === 8) await this.#damageIndex();
    // A lease that nobody released has ended after 200 s.
    this.#at += 1_000 * (200 + random.below(300));
    this.world.now = this.#at;
    this.log.push(
      `ledger ${this.#ledger.number} ${JSON.stringify(IDS.map((id) => KINDS.map((kind) => runs(this.#ledger.facts[id][kind]))))}, configured ${this.#configured}, state ${this.#states}`,
    );
    const ending = random.below(8);
    if (ending === 0) await this.#dyingCycle();
    else if (ending === 1 && this.#ledger.facts[this.#configured].receipts.length > 0) await this.#newHistory();
    else if (ending === 2) await this.#failingCycle();
    else await this.#cycle();
    expect([...this.#wentBack, ...(this.#wentBack.length > 0 ? this.log.slice(-LOGGED_STEPS) : [])]).toEqual([]);
  }

  end(): void {
    for (const { db } of this.#ledgers) db.close();
    this.world.end();
  }

  #newLedger(): ModelLedger {
    const number = this.#ledgers.length;
    const ledger = new ModelLedger(join(this.world.folder, `ledger-${number}.db`), number);
    this.#ledgers.push(ledger);
    return ledger;
  }

  #grow(ledger: ModelLedger): void {
    const random = this.#random;
    for (const id of IDS) {
      if (random.below(4) === 0) continue;
      const made = (count: number) => Array.from({ length: count }, () => ledger.number);
      const added = { receipts: made(random.below(90)), rounds: made(random.below(3)), modules: made(random.below(2)) };
      ledger.take(id, added, random);
    }
  }

  /** A copy of a part of the ledger, or of all of it, ingested in other batches. It may then grow other facts. */
  #copy(): void {
    if (this.#ledgers.length === LEDGERS) return;
    const random = this.#random;
    const from = this.#ledger.facts;
    const copy = this.#newLedger();
    const isWhole = random.below(3) === 0;
    for (const id of IDS) {
      const part = (facts: readonly number[]) =>
        isWhole ? facts : facts.slice(0, Math.max(0, facts.length - random.below(1 + facts.length / 2)));
      const { receipts, rounds, modules } = from[id];
      copy.take(id, { receipts: part(receipts), rounds: part(rounds), modules: part(modules) }, random);
    }
    if (random.below(2) === 0) this.#grow(copy);
    this.#ledger = copy;
  }

  #options(store: ObjectStore): WorkOptions {
    return {
      store,
      installationId: this.#configured,
      ledgerPath: this.#ledger.path,
      state: `state-${this.#states}`,
      genesisTimestamp: START / 1000,
    };
  }

  /** A reader looks after every put and deletion. */
  #watched(): ObjectStore {
    const { store } = this.world;
    return {
      name: store.name,
      get: (key, options) => store.get(key, options),
      list: (prefix) => store.list(prefix),
      put: async (key, object, condition) => {
        const tag = await store.put(key, object, condition);
        if (key === INSTALLATIONS_KEY) this.#indexes.push(object);
        await this.#look(`after the put of ${key}`);
        return tag;
      },
      delete: async (key) => {
        await store.delete(key);
        await this.#look(`after the deletion of ${key}`);
      },
    };
  }

  /** One undisturbed run. */
  async #cycle(newHistories: Id[] = []): Promise<void> {
    const worker = await this.world.work({ ...this.#options(this.#watched()), newHistories });
    const { failures } = await worker.cycle(this.#at);
    if (this.#random.below(4) === 0) worker.kill();
    else await worker.stop();
    this.#abandoned = undefined;
    this.#isIndexDamaged = false;
    await this.#look("after the cycle");
    const codes = new Set(failures.map(({ code }) => code));
    this.log.push(`  ${[...codes].join(" ") || "published"}`);
    const own = this.#expected(this.#configured);
    await this.#judge(this.#configured, own, codes);
    const other = IDS.find((id) => id !== this.#configured) ?? "wheel-2";
    // A ledger that is refused for the configured installation is refused as a whole.
    if (own === "published") await this.#judge(other, this.#expected(other), codes);
  }

  /** Facts that are compared: all kinds for the configured installation, receipts for the other. */
  #kinds(id: Id): readonly Kind[] {
    return id === this.#configured ? KINDS : ["receipts"];
  }

  #expected(id: Id): "published" | "refused" | "either" {
    const facts = this.#ledger.facts[id];
    const continues = (before: Facts) => this.#kinds(id).every((kind) => isPrefix(before[kind], facts[kind]));
    const { certain, possible } = this.#published[id];
    if (!continues(certain)) return "refused";
    return possible.every(continues) ? "published" : "either";
  }

  async #judge(id: Id, expected: "published" | "refused" | "either", codes: ReadonlySet<string>): Promise<void> {
    const published = this.#published[id];
    const facts = this.#ledger.facts[id];
    const isConfigured = id === this.#configured;
    const where = () => `${id} in ${this.log.slice(-LOGGED_STEPS).join("\n")}`;
    // The other installation may have no facts in this ledger, and is then not planned.
    if (expected === "refused" && isConfigured) {
      expect(
        [...codes].some((code) => code === "ledger_behind" || code === "ledger_forked"),
        where(),
      ).toBe(true);
    }
    if (expected !== "published") return;
    const now = await this.#reads(id);
    expect(now.receipts, where()).toEqual(facts.receipts);
    expect(now.telemetry, where()).toBe(facts.receipts.length);
    if (isConfigured) {
      expect(now.modules, where()).toEqual(facts.modules);
      expect(now.acceptedWork, where()).toBe(sumOf(id, facts.rounds));
    }
    for (const kind of this.#kinds(id)) {
      published.certain = { ...published.certain, [kind]: facts[kind] };
    }
    published.possible = [];
  }

  /** The index is deleted, or an older version of it returns. */
  async #damageIndex(): Promise<void> {
    const { store } = this.world;
    const older = this.#random.below(2) === 0 ? undefined : this.#indexes[this.#random.below(this.#indexes.length)];
    if (older === undefined) await store.delete(INSTALLATIONS_KEY);
    else await store.put(INSTALLATIONS_KEY, older);
    this.#isIndexDamaged = true;
    this.log.push(older === undefined ? "  the index is deleted" : "  an older index returns");
  }

  /** Dies before or after any call to the store. */
  async #dyingCycle(): Promise<void> {
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
    await this.#disturbedCycle(mortal);
  }

  /** Some puts fail, and some of these were done. */
  async #failingCycle(): Promise<void> {
    const watched = this.#watched();
    this.log.push("  some puts fail");
    await this.#disturbedCycle({
      ...watched,
      put: async (key, object, condition) => {
        const fate = this.#random.below(6);
        if (fate === 0) throw new StoreUnavailable(`${key}: no response`);
        const tag = await watched.put(key, object, condition);
        if (fate === 1) throw new StoreUnavailable(`${key}: the response was lost`);
        return tag;
      },
    });
  }

  async #disturbedCycle(store: ObjectStore): Promise<void> {
    try {
      const worker = await this.world.work(this.#options(store));
      try {
        await worker.cycle(this.#at);
      } finally {
        worker.kill();
      }
    } catch (error) {
      if (!(error instanceof Died) && !(error instanceof StoreUnavailable)) throw error;
    }
    if (this.#expected(this.#configured) === "refused") return;
    for (const id of IDS) {
      if (this.#expected(id) === "refused") continue;
      const put = this.#kinds(id).map((kind) => [kind, this.#ledger.facts[id][kind]] as const);
      this.#published[id].possible.push({ ...NO_FACTS, ...Object.fromEntries(put) });
    }
  }

  /** The operator abandons what was published of the configured installation. */
  async #newHistory(): Promise<void> {
    this.log.push("  new history");
    this.#seen[this.#configured] = nothingSeen();
    this.#published[this.#configured] = nothingPublished();
    this.#abandoned = this.#configured;
    await this.#cycle([this.#configured]);
  }

  /** Compares what readers get now with what they got before. A publisher would report a thrown error as a failed put. */
  async #look(when: string): Promise<void> {
    if (this.#isIndexDamaged) return;
    for (const id of IDS.filter((one) => one !== this.#abandoned)) {
      const before = this.#seen[id];
      const now = await this.#reads(id);
      const grows =
        isPrefix(before.receipts, now.receipts) &&
        isPrefix(before.modules, now.modules) &&
        now.telemetry >= before.telemetry &&
        now.acceptedWork >= before.acceptedWork;
      if (!grows) this.#wentBack.push(`${id} ${when}: ${JSON.stringify(before)}, then ${JSON.stringify(now)}`);
      this.#seen[id] = now;
    }
  }

  /** 503 shows nothing new. */
  async #reads(id: Id): Promise<Seen> {
    const before = this.#seen[id];
    const [telemetry, observations, modules, statistics] = await Promise.all([
      this.#read(`/v1/public/installations/${id}/telemetry`),
      this.#observations(id),
      this.#read("/v1/public/modules"),
      this.#read("/v2/public/stats?range=7d"),
    ]);
    const work = telemetry?.measurement?.cumulativeWorkUnits;
    const accepted = Number(statistics?.lifetime?.acceptedWorkUnits ?? -1);
    const isOwnWork = accepted >= 1_000_000 === (id === "wheel-2") && accepted > 0;
    return {
      receipts: observations ?? before.receipts,
      telemetry: telemetry === undefined ? before.telemetry : Math.floor(Number(work ?? 0) / LEDGERS),
      modules:
        modules?.installationId === id
          ? modules.modules.map(({ moduleVersion }: { moduleVersion: string }) => Number(moduleVersion.split(".")[2]))
          : before.modules,
      acceptedWork: isOwnWork ? accepted : before.acceptedWork,
    };
  }

  /** The makers of all receipts; undefined if a page is 503. */
  async #observations(id: Id): Promise<number[] | undefined> {
    const makers: number[] = [];
    for (let cursor = ""; ; ) {
      const page = await this.#read(`/v1/public/installations/${id}/observations?limit=100${cursor}`);
      if (page === undefined) return undefined;
      for (const item of page.items) makers.push(Number(item.cumulativeWorkUnits) % LEDGERS);
      if (page.nextCursor === null) return makers;
      cursor = `&cursor=${page.nextCursor}`;
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: the reader picks fields of five bodies.
  // oxlint-disable-next-line typescript/no-explicit-any
  async #read(url: string): Promise<any> {
    const { status, body } = await this.world.read(url, this.#at);
    return status === 200 ? JSON.parse(new TextDecoder().decode(body)) : undefined;
  }
}

const nothingSeen = (): Seen => ({ receipts: [], telemetry: 0, modules: [], acceptedWork: 0 });
const nothingPublished = (): Published => ({ certain: NO_FACTS, possible: [] });
const isPrefix = (before: readonly number[], now: readonly number[]) => before.every((fact, at) => now[at] === fact);
const sumOf = (id: Id, rounds: readonly number[]) => rounds.reduce((sum, maker) => sum + workOf(id, maker), 0);

/** Facts as runs of their makers: "0x80 2x10". */
function runs(facts: readonly number[]): string {
  const parts: [maker: number, count: number][] = [];
  for (const maker of facts) {
    const last = parts.at(-1);
    if (last?.[0] === maker) last[1]++;
    else parts.push([maker, 1]);
  }
  return parts.map(([maker, count]) => `${maker}x${count}`).join(" ");
}

let story: Story | undefined;
afterEach(() => story?.end());

test.each(Array.from({ length: SEEDS }, (_, index) => FIRST_SEED + index))(
  "in the random world of seed %d no response goes back, and the right ledger is published",
  async (seed) => {
    story = new Story(seed);
    for (let step = 0; step < STEPS; step++) await story.step();
  },
);
