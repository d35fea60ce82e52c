/**
 * A world whose readers are recorded: facts from samples or from the demo's wheel, a simulated chain with one node, a
 * publisher.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type OpenChain, openChain } from "../../src/chain/open-chain.ts";
import { decodeResponse } from "../../src/object-store/stored-response.ts";
import { CATEGORIES } from "../../src/resources/activity/route.ts";
import { SETTLEMENT_RANGES } from "../../src/resources/settlements/route.ts";
import { shimContext } from "../../src/shim/context.ts";
import { respond, type ShimResponse } from "../../src/shim/respond.ts";
import { ingest } from "../ledger/ingest.ts";
import type { Json } from "../ledger/samples.ts";
import { START, type Worker, type WorkOptions, World } from "../publish/world.ts";
import { type Action, SimulatedChain } from "../support/chain/simulated-chain.ts";
import { SimulatedNode } from "../support/chain/simulated-node.ts";

export { START };

/** If set, every response is written below this folder, so that two trees can be compared with `diff -r`. */
const FOLDER = process.env.NOONTEST_GOLDEN;
const HOUR = 3_600_000;
/** Blocks after which an event is safe. */
export const SAFE = 12;

const TELEMETRY = ["/v1/public/telemetry", ...["wheel-1", "wheel-2", "unknown", "not%20an%20id"].map(telemetryOf)];
const HISTORIES = [
  ...["wheel-1", "wheel-2", "unknown"].map((id) => `/v1/public/installations/${id}/observations`),
  "/v1/public/installations/wheel-1/observations?limit=7",
  "/v1/public/activity",
  ...CATEGORIES.map((category) => `/v1/public/activity?category=${category}&limit=9`),
];
const SINGLE = [
  "/v1/public/modules",
  "/v4/public/process",
  ...["7d", "30d"].map((range) => `/v2/public/stats?range=${range}`),
  "/v4/public/onchain",
  ...[4, 3].flatMap((version) => SETTLEMENT_RANGES.map((range) => `/v${version}/public/settlements?range=${range}`)),
  "/v4/public/settlements?range=now&queue=1",
];
const REFUSED = [
  "/v1/public/installations/wheel-1/observations?cursor=0",
  "/v1/public/activity?limit=0",
  "/v4/public/process?x",
  "/v2/public/stats",
  "/v4/public/onchain?x=1",
  "/v4/public/settlements?range=7d&queue=1",
  "/v3/public/settlements?range=now&queue=1",
];

function telemetryOf(id: string): string {
  return `/v1/public/installations/${id}/telemetry`;
}

export class GoldenWorld {
  readonly world = new World();
  readonly chain: SimulatedChain;
  readonly node: SimulatedNode;
  readonly #name: string;
  readonly #lines: string[] = [];
  #ledgerPath = this.world.ledgerPath;
  #ledger = this.world.ledger;
  #worker: Worker | undefined;
  #opened: OpenChain | undefined;
  #urls = 0;

  /** `genesis` in epoch ms. */
  constructor(name: string, genesis = START) {
    this.#name = name;
    this.chain = new SimulatedChain(0, genesis / 1000);
    this.node = new SimulatedNode("http://node.invalid", this.chain, true);
    this.world.now = genesis + HOUR;
  }

  take(records: Iterable<Json>): void {
    const { rejections } = ingest(this.#ledger, records);
    if (rejections.length > 0) throw new Error(`a golden fact is rejected: ${JSON.stringify(rejections[0])}`);
  }

  /** One block for each list of actions, then as many empty ones as make these safe. */
  mine(blocks: readonly (readonly Action[])[], { seconds = 12, empty = SAFE } = {}): void {
    for (const actions of [...blocks, ...Array.from({ length: empty }, () => [])]) {
      const { branch } = this.chain;
      this.chain.branch = branch.mined(this.chain, branch.head.timestamp + seconds, actions);
    }
  }

  /** Starts a publisher, after the one that ran before has stopped. */
  async start({ withChain = true, ...options }: WorkOptions & { readonly withChain?: boolean } = {}): Promise<void> {
    await this.#worker?.stop();
    this.#opened = withChain
      ? openChain({
          deployment: this.chain.deployment,
          rpcUrls: [this.node.url],
          rpcQuorum: 1,
          statePath: join(this.world.folder, "chain.db"),
          grace: 15_000,
          validity: 600_000,
          now: () => this.world.now,
          onEvent: () => {},
          sleep: async (ms) => void (this.world.now += ms),
          random: () => 0,
        })
      : undefined;
    this.#worker = await this.world.work({
      ledgerPath: this.#ledgerPath,
      genesisTimestamp: this.chain.genesisTimestamp,
      ...(this.#opened && { chain: this.#opened }),
      ...options,
    });
  }

  /** The next publisher reads this ledger. */
  use(ledger: { readonly path: string; readonly db: World["ledger"] }): void {
    this.#ledgerPath = ledger.path;
    this.#ledger = ledger.db;
  }

  /** A pass over the chain and a cycle `ms` later, and what readers then get until an hour later. */
  async step(name: string, ms = 1_000): Promise<void> {
    this.world.now += ms;
    await this.#opened?.poll(this.world.now, Number.POSITIVE_INFINITY);
    await this.#worker?.publisher.renewIfDue();
    await this.#worker?.cycle(this.world.now);
    await this.record(name);
  }

  async record(name: string): Promise<void> {
    const { now } = this.world;
    const instants = [now, ...this.#successors().filter((at) => at > now && at < now + HOUR), now + HOUR];
    for (const url of [...TELEMETRY, ...SINGLE, ...REFUSED, ...HISTORIES]) {
      const texts: string[] = [];
      for (const at of instants) texts.push(...(await this.#responses(url, at)));
      this.#urls += texts.length;
      const text = texts.join("\n");
      const hash = createHash("sha256").update(text).digest("base64url").slice(0, 16);
      this.#lines.push(`${name} ${url} ${texts.length} ${hash}`);
      this.#write(`${name} ${url}`, text);
    }
  }

  /** The record: for each step and URL the number of responses, and their hash. */
  async end(): Promise<string> {
    await this.#worker?.stop();
    this.world.end();
    return `${this.#urls} responses\n${this.#lines.join("\n")}\n`;
  }

  /** The response of a URL, a conditional one if it has a tag, and up to two further pages of a history. */
  async #responses(url: string, at: number): Promise<string[]> {
    const texts: string[] = [];
    const pages = HISTORIES.includes(url) ? 3 : 1;
    for (let page = 1, next = url; page <= pages; page++) {
      const response = await this.#read(next, at);
      const text = new TextDecoder().decode(response.body);
      texts.push(described(next, at, response, text));
      const { etag } = response.headers;
      if (etag !== undefined) texts.push(described(next, at, await this.#read(next, at, etag)));
      const cursor = response.status === 200 && pages > 1 ? JSON.parse(text).nextCursor : null;
      if (cursor === null || cursor === undefined) break;
      next = `${url}${url.includes("?") ? "&" : "?"}cursor=${cursor}`;
    }
    return texts;
  }

  async #read(url: string, at: number, ifNoneMatch?: string): Promise<ShimResponse> {
    const context = shimContext({ store: this.world.store, now: () => at, monotonic: () => at });
    return respond({ method: "GET", url, ifNoneMatch }, context);
  }

  /** Every instant (epoch ms) at which time alone changes a stored response. */
  #successors(): number[] {
    const instants = new Set<number>();
    for (const object of this.world.store.contents().values()) {
      if (object === "damaged" || object.metadata.status === undefined) continue;
      for (const { from } of decodeResponse(object).successors) instants.add(from);
    }
    return [...instants].toSorted((one, other) => one - other);
  }

  #write(name: string, text: string): void {
    if (FOLDER === undefined) return;
    const folder = join(FOLDER, this.#name);
    if (!existsSync(folder)) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, encodeURIComponent(name)), `${text}\n`);
  }
}

function described(url: string, at: number, { status, headers }: ShimResponse, body = ""): string {
  const sorted = Object.entries(headers).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const lines = sorted.map(([name, value]) => `${name}: ${value}`);
  return [`${new Date(at).toISOString()} ${url} ${status}`, ...lines, body].join("\n");
}
