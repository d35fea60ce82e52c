/**
 * Nothing goes back in random chains. They grow, fork above and below the safe block, stop responding and are replaced,
 * while publishers die, restart and lose files. A reader checks after every put. After an undisturbed cycle over a good
 * chain, readers get what a new publisher would publish from the same sources.
 */

import { copyFileSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "better-sqlite3";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { EXIT, exitCodeOf } from "../../bin/cli/failures.ts";
import type { Head } from "../../publish/head/head.ts";
import { pollUntilConcluded } from "../../src/chain/chain.ts";
import type { Deployment } from "../../src/chain/deployment.ts";
import { type OpenChain, openChain } from "../../src/chain/open-chain.ts";
import { openChainStore } from "../../src/chain/store/open-store.ts";
import { readSync } from "../../src/chain/store/sync-row.ts";
import { constantKey, HEAD_KEY } from "../../src/http/keys.ts";
import { openLedgerForIntake } from "../../src/ledger/open.ts";
import { type ObjectStore, StoreUnavailable } from "../../src/object-store/object-store.ts";
import { PROJECTIONS_FILE } from "../../src/projections/open.ts";
import { parseActivityTileKey } from "../../src/resources/activity/route.ts";
import { RESPONSE_KEYS } from "../../src/resources/find.ts";
import { ROBOTS } from "../../src/resources/site/site-files.ts";
import { Failure } from "../../src/values/failure.ts";
import { SAFE_DEPTH as CHAIN_SAFE_DEPTH } from "../../src/values/settlement-limits.ts";
import { ingest } from "../ledger/ingest.ts";
import { closure, epoch, instant, receipt, round, submission, uuid } from "../ledger/samples.ts";
import {
  type Action,
  type Branch,
  descends,
  type SimulatedBlock,
  SimulatedChain,
} from "../support/chain/simulated-chain.ts";
import { fetchFrom, SimulatedNode } from "../support/chain/simulated-node.ts";
import { Random, seeds } from "../support/random.ts";
import { steppedStore } from "../support/stepped-store.ts";
import { ChainReader, type Configured, GRACE, PROCESS, parsed, URLS, VALIDITY } from "./model/chain-reader.ts";

import { START, type Worker, World } from "./world.ts";

const STEPS = 25;
/** Number of story lines in a failure message. */
const LOGGED_LINES = 40;
const ASK_INTERVAL = 15_000;
const MINUTE = 60_000;
const SAFE_DEPTH = Number(CHAIN_SAFE_DEPTH);
const SITE = { program: "1.0.0", files: [ROBOTS], deployment: null, chainMaxAge: 600_000 };
const URL_OF_KEY = new Map(
  RESPONSE_KEYS.flatMap(([url, key]) => [[key, url] as const, [constantKey(key), url] as const]),
);
const KEY_OF_URL = new Map(RESPONSE_KEYS);
/** Chain objects that are not compared with the ledger. */
const CHAIN_KEYS = URLS.flatMap((url) => KEY_OF_URL.get(url) ?? []).filter((key) => !key.includes("/stats/"));

class Died extends Error {}

/** The disturbance of a publisher's store requests. */
type Fate =
  | { readonly is: "none" }
  | { readonly is: "dies"; left: number; readonly after: boolean }
  | { readonly is: "fails" };

interface ModelLedger {
  readonly db: Database;
  readonly path: string;
  readonly number: number;
  receipts: number;
  rounds: number;
}

interface Open {
  readonly worker: Worker;
  readonly chain: OpenChain;
}

/** By key: the stored object's tag, and the block that it was computed from if it is on the configured chain. */
type Published = ReadonlyMap<string, { readonly tag: string; readonly block: SimulatedBlock | undefined }>;

class Story {
  readonly world = new World();
  readonly log: string[] = [];
  readonly nodes: SimulatedNode[] = [];
  readonly #random: Random;
  readonly #chains: SimulatedChain[];
  readonly #reader: ChainReader;
  readonly #goodPasses = new Map<SimulatedChain, number>();
  /** Epoch ms at which a chain's head last moved. */
  readonly #movedAt = new Map<SimulatedChain, number>();
  /** When the configured chain's nodes became healthy (epoch ms). */
  #healthySince = 0;
  readonly #ledgers: ModelLedger[] = [];
  #ledger: ModelLedger;
  readonly #quorum: number;
  readonly #minimumPutInterval: number;
  #configured: Configured;
  #state = 0;
  #chainFile = 0;
  /** Copies of the chain's file and of the projections, by number. */
  #copies = 0;
  #open: Open | undefined;
  #fate: Fate = { is: "none" };
  /** While a new history starts, readers get parts of both. */
  #isAbandoning = false;

  constructor(seed: number) {
    this.#random = new Random(seed);
    const random = this.#random;
    this.world.now = START + 60 * MINUTE;
    this.#chains = [0, 1].map((number) => new SimulatedChain(number, START / 1000));
    const count = 1 + random.below(3);
    for (const [number, chain] of this.#chains.entries()) {
      for (let node = 0; node < count; node++) {
        this.nodes.push(new SimulatedNode(`http://node-${number}-${node}.invalid`, chain, random.once(2)));
      }
      this.#grow(chain, random.below(90));
    }
    this.#quorum = 1 + random.below(Math.min(2, count));
    this.#minimumPutInterval = random.once(3) ? 5_000 : 0;
    this.#configured = { chain: this.#chains[0] as SimulatedChain, releaseId: "release-1" };
    this.#ledger = this.#newLedger(20 + random.below(200));
    this.#reader = new ChainReader({
      chains: this.#chains,
      read: (url, at) => this.world.read(url, at),
      configured: () => this.#configured,
      lastGoodPassAt: (chain) => this.#goodPasses.get(chain) ?? Number.NEGATIVE_INFINITY,
      validUntil: (url) => {
        const object = this.world.store.contents().get(KEY_OF_URL.get(url) ?? "");
        return object === undefined || object === "damaged" ? 0 : Number(object.metadata["valid-until"] ?? Infinity);
      },
      pageSize: () => 1 + random.below(100),
    });
    this.log.push(`${count} nodes, quorum ${this.#quorum}, put interval ${this.#minimumPutInterval}`);
  }

  async step(): Promise<void> {
    const random = this.#random;
    const wereHealthy = this.#areHealthy();
    for (let changes = 1 + random.below(3); changes > 0; changes--) this.#change();
    await this.#changePublisher();
    if (random.once(6)) this.#heal();
    if (!wereHealthy) this.#healthySince = this.world.now;
    for (let cycles = 1 + random.below(3); cycles > 0; cycles--) {
      await this.#pass(random.pick([1_000, 4_000, 20_000, 20_000, 40_000, 2 * MINUTE, 11 * MINUTE, 70 * MINUTE]));
      await this.#cycle();
      await this.#lookLater();
    }
    if (random.once(3)) await this.#compare();
    this.#judge();
  }

  async end(): Promise<void> {
    if (this.#open !== undefined) this.#kill();
    for (const { db } of this.#ledgers) db.close();
    this.world.end();
  }

  /** Everything is good, so the next cycle must publish it. */
  async last(): Promise<void> {
    this.#heal();
    this.#grow(this.#configured.chain, 13);
    await this.#compare();
    this.#judge();
  }

  #judge(): void {
    const { problems } = this.#reader;
    expect(problems.length === 0 ? [] : [...problems.slice(0, 5), ...this.log.slice(-LOGGED_LINES)]).toEqual([]);
  }

  #say(text: string): void {
    this.log.push(`${((this.world.now - START) / 1000).toFixed(1)} ${text}`);
  }

  // The sources: two chains, their nodes, and the ledger.

  get #nodes(): readonly SimulatedNode[] {
    const { deployment } = this.#configured.chain;
    return this.nodes.filter(({ url }) => url.includes(`node-${deployment.chainId - 31_337}-`));
  }

  #change(): void {
    const random = this.#random;
    const { chain } = this.#configured;
    const node = random.pick(this.#nodes);
    const change = random.below(22);
    if (change < 7) this.#grow(chain, 1 + random.below(20));
    else if (change < 9) this.#reorganise(chain, 1 + random.below(SAFE_DEPTH - 1));
    else if (change < 11) this.#forkNode(node);
    else if (change === 11) node.lag = random.below(40);
    else if (change < 14) node.fault = random.pick(["silent", "busy", "stateless"] as const);
    else if (change === 14) node.chain = random.pick(this.#chains);
    else if (change === 15) node.hidesLogs = this.#nodes.every(({ hidesLogs }) => !hidesLogs) && this.#isGood();
    else if (change < 18) node.heal(chain);
    else if (change < 20) this.#receive();
    else if (change === 20) this.#replaceLedger();
    else if (random.once(4) && node.chain === chain && node.fork !== undefined) this.#adopt(node.fork);
    this.#say(
      `head ${chain.branch.head.number} ${chain.branch.head.hash.slice(0, 8)}; nodes ${this.#nodes.map((one) => this.#describe(one)).join(", ")}; ledger ${this.#ledger.number}: ${this.#ledger.receipts}`,
    );
  }

  #describe({ chain, blocks, fork, lag, fault, hidesLogs }: SimulatedNode): string {
    const of = chain === this.#configured.chain ? "" : "other ";
    const last = blocks.at(-1);
    return `${of}${fork === undefined ? "" : "fork "}${last?.number} ${last?.hash.slice(0, 8)} lag ${lag} ${fault}${hidesLogs ? " hides" : ""}`;
  }

  #heal(): void {
    for (const node of this.#nodes) node.heal(this.#configured.chain);
    this.#say("every node is well");
  }

  #grow(chain: SimulatedChain, blocks: number): void {
    this.#move(chain, this.#longer(chain, chain.branch, blocks));
  }

  #move(chain: SimulatedChain, branch: Branch): void {
    if (branch.head.number > chain.branch.head.number) this.#movedAt.set(chain, this.world.now);
    chain.branch = branch;
  }

  #longer(chain: SimulatedChain, branch: Branch, blocks: number): Branch {
    let grown = branch;
    for (let block = 0; block < blocks; block++) {
      grown = grown.mined(chain, grown.head.timestamp + 12, this.#actions());
    }
    return grown;
  }

  #actions(): Action[] {
    const random = this.#random;
    const actions: Action[] = [];
    if (random.once(4)) {
      const rounds = BigInt(1 + random.below(40));
      actions.push({ is: "settle", rounds, activeRounds: BigInt(random.below(17)), work: BigInt(random.below(4_000)) });
    }
    if (random.once(6)) {
      actions.push({ is: "fund", rounds: BigInt(1 + random.below(60)), amount: BigInt(1 + random.below(90)) });
    }
    if (random.once(8)) actions.push({ is: random.pick(["release", "claim", "pause", "upgrade"] as const) });
    if (random.once(8)) actions.push({ is: "units", count: random.once(10) ? 90 : 1 + random.below(3) });
    return actions;
  }

  /** Forks above the safe block. The new branch is at least as long. */
  #reorganise(chain: SimulatedChain, depth: number): void {
    const { number } = chain.branch.head;
    const cut = chain.branch.cut(number - depth);
    this.#move(chain, this.#longer(chain, cut, depth + this.#random.below(4)));
  }

  /** A node's fork becomes the main branch. The publisher may have known its head for long. */
  #adopt(fork: Branch): void {
    const { chain } = this.#configured;
    chain.branch = fork;
    this.#movedAt.delete(chain);
  }

  /** Forks below the safe block on one node: shorter than the main branch at first, later possibly longer. */
  #forkNode(node: SimulatedNode): void {
    const { chain } = this.#configured;
    const branch = node.fork ?? chain.branch.cut(chain.branch.head.number - SAFE_DEPTH - 1 - this.#random.below(30));
    node.chain = chain;
    node.fork = this.#longer(chain, branch, 1 + this.#random.below(40));
  }

  #newLedger(receipts: number, rounds = 3): ModelLedger {
    const number = this.#ledgers.length;
    const path = join(this.world.folder, `ledger-${number}.db`);
    const ledger = { db: openLedgerForIntake(path), path, number, receipts: 0, rounds: 0 };
    this.#ledgers.push(ledger);
    expect(ingest(ledger.db, [epoch()]).rejected).toBe(0);
    this.#take(ledger, receipts, rounds);
    return ledger;
  }

  #take(ledger: ModelLedger, receipts: number, rounds: number, maker = 0): void {
    const records = [];
    for (let n = ledger.receipts + 1; n <= ledger.receipts + receipts; n++) {
      records.push(receipt(n, { telemetryId: uuid(n + maker * 0x10_0000), distanceMm: 40_000 * n }));
    }
    for (let id = ledger.rounds; id < ledger.rounds + rounds; id++) {
      records.push(round(id, { closedAt: instant(600 * (id + 1)) }), closure(id, id));
    }
    if (records.length > 0) expect(ingest(ledger.db, records).rejected).toBe(0);
    ledger.receipts += receipts;
    ledger.rounds += rounds;
  }

  #receive(): void {
    const random = this.#random;
    this.#take(this.#ledger, random.below(60), random.below(2));
    if (!random.once(2)) return;
    const { settledThroughRound, cumulativeWork } = this.#configured.chain.branch.head.state;
    const expected = cumulativeWork + 1_500n;
    const record = submission({
      submissionId: uuid(0x5b_0000 + this.#ledger.receipts),
      previousSettledThroughRound: String(settledThroughRound),
      settledThroughRound: String(settledThroughRound + 16n),
      preparedAt: new Date(this.world.now).toISOString(),
      expected: {
        cumulativeWork: String(expected),
        blockHeight: String(expected / 1_000n),
        currentWork: String(expected % 1_000n),
        completedBlockCount: String(expected / 1_000n - cumulativeWork / 1_000n),
      },
    });
    ingest(this.#ledger.db, [record]);
  }

  /** Uses a part of the ledger, which may get other receipts, or returns to the first ledger. */
  #replaceLedger(): void {
    const random = this.#random;
    const [first] = this.#ledgers;
    this.#kill();
    if (first === undefined || this.#ledger !== first || random.once(2)) {
      if (first !== undefined) this.#ledger = first;
      return;
    }
    this.#ledger = this.#newLedger(Math.max(1, first.receipts - 1 - random.below(40)), first.rounds);
    if (random.once(2)) this.#take(this.#ledger, random.below(80), 0, this.#ledger.number);
  }

  // The publisher: restarts, lost files, and disturbed requests.

  get #deployment(): Deployment {
    const { chain, releaseId } = this.#configured;
    const economy = releaseId === null ? undefined : { ...chain.economy, releaseId };
    return { ...chain.deployment, economy };
  }

  get #chainPath(): string {
    return join(this.world.folder, `chain-${this.#chainFile}.db`);
  }

  get #stateFolder(): string {
    return join(this.world.folder, `state-${this.#state}`);
  }

  async #changePublisher(): Promise<void> {
    const random = this.#random;
    const change = random.below(32);
    if (change < 15) return;
    if (random.once(2)) this.#kill();
    else await this.#stop();
    if (change < 18) this.#state = this.#states++;
    else if (change < 21) this.#state = random.below(this.#states);
    else if (change < 24) this.#changeFile("the projections", join(this.#stateFolder, PROJECTIONS_FILE));
    else if (change < 27) this.#chainFile = ++this.#chainFiles;
    else if (change < 30) this.#changeFile("the chain's file", this.#chainPath);
    else if (change === 30) this.#reconfigure();
    else if (change === 31) await this.#acceptChain();
    if (change < 24) this.#reader.loseSavedHistory();
    this.#say(`restarts with state ${this.#state}, chain file ${this.#chainFile}`);
  }

  #states = 1;
  #chainFiles = 0;
  readonly #copied = new Map<string, string>();

  /** Copies, restores or loses a file. */
  #changeFile(name: string, path: string): void {
    if (!existsSync(path)) return;
    const copy = this.#copied.get(path);
    if (copy !== undefined || this.#random.once(3)) {
      for (const suffix of ["", "-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true });
      if (copy !== undefined) copyFileSync(copy, path);
      this.#copied.delete(path);
      this.#say(`${name} is ${copy === undefined ? "lost" : "an older copy"}`);
      return;
    }
    const target = join(this.world.folder, `copy-${this.#copies++}.db`);
    copyFileSync(path, target);
    this.#copied.set(path, target);
  }

  #reconfigure(): void {
    const releaseId = this.#random.pick(["release-1", "release-1", "release-2", null]);
    const chain = this.#random.once(2) ? this.#random.pick(this.#chains) : this.#configured.chain;
    this.#configured = { chain, releaseId };
    this.#chainFile = ++this.#chainFiles;
    this.#say(`configured ${chain.deployment.target} ${releaseId}`);
  }

  /** The state directory of the publisher that may still hold the lease. */
  #owner: number | undefined;

  #kill(): void {
    this.#open?.worker.kill();
    this.#open = undefined;
  }

  async #stop(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await open?.worker.stop();
  }

  async #start(acceptChain = false): Promise<Open> {
    const deployment = this.#deployment;
    const { chain: simulated } = this.#configured;
    mkdirSync(this.#stateFolder, { recursive: true });
    // A lease that was not released expires after 200 s.
    const owner = this.#owner;
    if (owner !== undefined && owner !== this.#state) this.world.now += 200_000;
    this.#owner = this.#state;
    const chain = openChain({
      deployment,
      rpcUrls: this.#nodes.map(({ url }) => url),
      rpcQuorum: this.#quorum,
      statePath: this.#chainPath,
      grace: GRACE,
      validity: VALIDITY,
      now: () => this.world.now,
      onEvent: ({ kind }) => {
        if (kind === "good") this.#goodPasses.set(simulated, this.world.now);
      },
      sleep: async (ms) => void (this.world.now += ms),
      random: () => this.#random.below(100) / 100,
    });
    const worker = await this.world.work({
      store: this.#watched(),
      ledgerPath: this.#ledger.path,
      state: `state-${this.#state}`,
      chain,
      opens: { acceptChain },
      minimumPutInterval: this.#minimumPutInterval,
      genesisTimestamp: START / 1000,
      site: SITE,
    });
    return { worker, chain };
  }

  /** After every put and deletion, reads the routes that the object serves. */
  #watched(): ObjectStore {
    const { store } = this.world;
    const looked: ObjectStore = {
      name: store.name,
      get: (key, options) => store.get(key, options),
      list: (prefix) => store.list(prefix),
      put: async (key, object, condition) => {
        const tag = await store.put(key, object, condition);
        await this.#look(urlsOf(key), `after the put of ${key}`);
        return tag;
      },
      delete: async (key) => {
        await store.delete(key);
        await this.#look(urlsOf(key), `after the deletion of ${key}`);
      },
    };
    const failing: ObjectStore = {
      ...looked,
      put: async (key, object, condition) => {
        const fate = this.#fate.is === "fails" ? this.#random.below(6) : -1;
        if (fate === 0) throw new StoreUnavailable(`${key}: no response`);
        const tag = await looked.put(key, object, condition);
        if (fate === 1) throw new StoreUnavailable(`${key}: the response was lost`);
        return tag;
      },
    };
    return steppedStore(failing, async (call) => {
      const fate = this.#fate;
      if (fate.is !== "dies") return call();
      if (fate.left < 0 || (fate.left === 0 && !fate.after)) throw new Died();
      fate.left -= 1;
      const result = await call();
      if (fate.left < 0) throw new Died();
      return result;
    });
  }

  // Time, cycles and reads.

  /** Advances the clock. A running publisher renews its lease. */
  async #pass(ms: number): Promise<void> {
    const until = this.world.now + ms;
    if (this.#random.once(4)) {
      // Nobody publishes meanwhile.
      this.#kill();
      for (const part of [0.3, 0.7]) {
        this.world.now = Math.max(this.world.now, Math.round(until - ms * (1 - part)));
        await this.#look(URLS, "while nobody publishes");
      }
      this.world.now = Math.max(this.world.now, until);
      return;
    }
    while (this.world.now < until) {
      this.world.now = Math.min(until, this.world.now + 8_000);
      await this.#open?.worker.publisher.renewIfDue();
    }
  }

  /** A cycle that may be disturbed. */
  async #cycle(): Promise<void> {
    const random = this.#random;
    const fate = random.below(6);
    if (fate === 0) this.#fate = { is: "dies", left: random.below(70), after: random.once(2) };
    else if (fate === 1) this.#fate = { is: "fails" };
    const isDisturbed = this.#fate.is !== "none";
    if (isDisturbed) this.#say(`the publisher ${JSON.stringify(this.#fate)}`);
    try {
      await this.#undisturbed();
    } catch (error) {
      const isLost = error instanceof Failure && exitCodeOf(error) === EXIT.locked;
      if (!(error instanceof Died) && !(error instanceof StoreUnavailable) && !(isDisturbed && isLost)) throw error;
      this.#say(`  ${error.message}`);
      this.#kill();
    } finally {
      this.#fate = { is: "none" };
    }
  }

  /** Returns the codes of its failures. */
  async #undisturbed(acceptChain = false): Promise<ReadonlySet<string>> {
    this.#open ??= await this.#start(acceptChain);
    const { chain, worker } = this.#open;
    await pollUntilConcluded(chain, () => this.world.now, this.world.now + 10_000);
    const at = this.world.now;
    const before = this.#published();
    const { failures, rows } = await worker.cycle(at);
    this.#isAbandoning = false;
    await this.#look(URLS, "after the cycle");
    const codes = new Set(failures.map(({ code }) => code));
    const { core, economy } = chain.state(at);
    const says = core.status === "available" ? core.view.chain.safeBlockHash.slice(0, 8) : core.reason;
    const failed = rows.filter(({ action }) => action === "failed").map(({ key, why }) => `${key}: ${why}`);
    this.#say(
      `  cycle: ${says} ${economy.status}; ${[...codes].join()} ${failed.join()} ${JSON.stringify(chain.describe()).slice(0, 150)}`,
    );
    if (core.status === "available" && !acceptChain) this.#judgeRefused(before, core.view.chain.safeBlockHash);
    if (this.#fate.is === "none" && this.#isGood(before)) {
      expect(
        [says, ...codes].filter((code) => !code.startsWith("ledger_")),
        this.log.slice(-LOGGED_LINES).join("\n"),
      ).toEqual([this.#safe()?.hash.slice(0, 8)]);
    }
    return codes;
  }

  /** The main branch's safe block. */
  #safe(): SimulatedBlock | undefined {
    const { branch } = this.#configured.chain;
    return branch.blocks[branch.head.number - SAFE_DEPTH];
  }

  #published(): Published {
    const contents = this.world.store.contents();
    const head = contents.get(HEAD_KEY);
    if (head === undefined || head === "damaged") return new Map();
    const { responses } = JSON.parse(new TextDecoder().decode(head.body)) as Head;
    return new Map(
      CHAIN_KEYS.flatMap((key) => {
        const object = contents.get(key);
        if (object === undefined || object === "damaged") return [];
        const hash = responses[key]?.safeBlock?.hash ?? "";
        return [[key, { tag: object.tag, block: this.#configured.chain.blocks.get(hash) }] as const];
      }),
    );
  }

  /** Everything that a rejected chain shows must stay exactly the same. */
  #judgeRefused(before: Published, safeHash: string): void {
    const now = this.#configured.chain.blocks.get(safeHash);
    const contents = this.world.store.contents();
    for (const [key, { tag, block }] of before) {
      if (block === undefined || now === undefined || descends(now, block) || key === KEY_OF_URL.get(PROCESS)) continue;
      const object = contents.get(key);
      if (object === undefined || object === "damaged" || object.tag !== tag) {
        this.#reader.problems.push(
          `${key} was published at ${block.number} ${block.hash}, and has changed with a refused chain`,
        );
      }
    }
  }

  /**
   * True if the sources are good: every node is healthy, the head is not stalled, and the stored and published data is of
   * the main branch.
   */
  #isGood(published = this.#published()): boolean {
    const { chain } = this.#configured;
    const safe = this.#safe();
    if (safe === undefined || safe.number < chain.deployment.deploymentBlock) return false;
    if (!this.#areHealthy() || this.#isStalled(chain)) return false;
    if (![...published.values()].every(({ block }) => block === undefined || descends(safe, block))) return false;
    return this.#isStoredOf(safe);
  }

  #areHealthy(): boolean {
    return this.#nodes.every((node) => node.isHealthy(this.#configured.chain));
  }

  /**
   * No other node confirms the head of a single one, and others are asked only every 15 s (docs/spec/chain.md#stalled).
   */
  #isStalled(chain: SimulatedChain): boolean {
    const { now } = this.world;
    if (now - (this.#movedAt.get(chain) ?? 0) < VALIDITY) return false;
    return this.#nodes.length === 1 || now - this.#healthySince < ASK_INTERVAL;
  }

  #isStoredOf(safe: SimulatedBlock): boolean {
    if (!existsSync(this.#chainPath)) return true;
    const db = openChainStore(this.#chainPath, this.#deployment);
    try {
      const { stored } = readSync(db);
      if (stored === undefined) return true;
      const newest = db
        .prepare("SELECT block_hash FROM event ORDER BY block_number DESC LIMIT 1")
        .pluck()
        .get() as string;
      const { blocks } = this.#configured.chain;
      const block = blocks.get(stored.hash ?? newest);
      return block !== undefined && Number(stored.block) <= safe.number && descends(safe, block);
    } finally {
      db.close();
    }
  }

  /** `publish --once --accept-chain`: what was published of the chain counts no more. */
  async #acceptChain(): Promise<void> {
    this.#say("the chain is accepted as it is");
    this.#isAbandoning = true;
    this.world.now += 2 * MINUTE;
    this.#reader.forget(this.world.now);
    await this.#undisturbed(true);
  }

  async #look(urls: readonly string[], when: string): Promise<void> {
    if (!this.#isAbandoning)
      await this.#reader.look(urls, this.world.now, `${when} at ${(this.world.now - START) / 1000}`);
  }

  /** Only time changes what readers get. */
  async #lookLater(): Promise<void> {
    const random = this.#random;
    const at = this.world.now + random.pick([10_000, GRACE, 9 * MINUTE, VALIDITY, 61 * MINUTE]) + random.below(20_000);
    await this.#reader.look(URLS, at, `later at ${(at - START) / 1000}`, { isLater: true });
  }

  /**
   * After an undisturbed cycle over a good chain, readers get what a publisher with empty state and store would
   * publish.
   */
  async #compare(): Promise<void> {
    await this.#pass(61_000);
    const codes = await this.#undisturbed();
    if (!this.#isGood() || codes.size > 0) return;
    const at = this.world.now;
    using other = new Fresh(this.world.now);
    await other.publish(this.#deployment, this.#nodes, this.#ledger.path);
    for (const instant of [at, at + 11 * MINUTE]) {
      for (const url of [...URLS.filter((one) => one !== "/status.json"), "/feed.json"]) {
        const [own, fresh] = [
          await this.#everything(this.world, url, instant),
          await this.#everything(other.world, url, instant),
        ];
        expect(own, `${url} at ${(instant - START) / 1000}\n${this.log.slice(-LOGGED_LINES).join("\n")}`).toEqual(
          fresh,
        );
      }
    }
  }

  /** A response without generatedAt; for activity, all pages. */
  async #everything(world: World, url: string, at: number): Promise<unknown> {
    const pages = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const response = await world.read(`${url}${cursor === "" ? "" : `&cursor=${cursor}`}`, at);
      const { generatedAt: _, ...body } = parsed(response);
      // The window of the statistics ends at generatedAt.
      const ends = url.startsWith("/v2/") ? { window: null, revision: null } : {};
      const headers = url.startsWith("/v2/") ? {} : response.headers;
      pages.push({ status: response.status, headers, body: { ...body, ...ends } });
      cursor = url.startsWith("/v1/public/activity") ? (body.nextCursor ?? null) : null;
    }
    return pages;
  }
}

function urlsOf(key: string): readonly string[] {
  const tile = parseActivityTileKey(key);
  if (tile !== undefined) return [`/v1/public/activity?category=${tile.category}`];
  const url = URL_OF_KEY.get(key);
  return url === undefined || !URLS.includes(url) ? [] : [url];
}

/** A publisher with empty state and store, over the same sources. */
class Fresh implements Disposable {
  readonly world = new World();

  constructor(now: number) {
    this.world.now = now;
  }

  async publish(deployment: Deployment, nodes: readonly SimulatedNode[], ledgerPath: string): Promise<void> {
    const { world } = this;
    const now = () => world.now;
    const chain = openChain({
      deployment,
      rpcUrls: nodes.map(({ url }) => url),
      statePath: join(world.folder, "chain.db"),
      grace: GRACE,
      validity: VALIDITY,
      now,
    });
    const worker = await world.work({ chain, ledgerPath, genesisTimestamp: START / 1000, site: SITE });
    await pollUntilConcluded(chain, now, world.now + 10_000);
    await worker.cycle(world.now);
    await worker.stop();
  }

  [Symbol.dispose](): void {
    this.world.end();
  }
}

let story: Story | undefined;
beforeEach(() => {
  vi.stubGlobal(
    "fetch",
    fetchFrom(() => story?.nodes ?? []),
  );
});
afterEach(async () => {
  await story?.end();
  vi.unstubAllGlobals();
});

test.each(seeds(1))(
  "in the random chains of seed %d no response goes back, and a good chain is published as by a new publisher",
  { timeout: 240_000 },
  async (seed) => {
    story = new Story(seed);
    for (let step = 0; step < STEPS; step++) await story.step();
    await story.last();
  },
);
