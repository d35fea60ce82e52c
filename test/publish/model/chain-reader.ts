/**
 * A reader of all chain routes that remembers what it got. Each view must match one block of the simulated chain (never
 * torn, never invented). Each later view must match the same block or a descendant.
 */
import { isDeepStrictEqual } from "node:util";
import { CATEGORIES } from "../../../src/resources/activity/route.ts";
import { SETTLEMENT_RANGES } from "../../../src/resources/settlements/route.ts";
import type { ShimResponse } from "../../../src/shim/respond.ts";
import {
  BASELINE_REWARD,
  descends,
  type NamedEvent,
  type SimulatedBlock,
  type SimulatedChain,
  type SimulatedSettlement,
  WORK_PER_BLOCK,
} from "../../support/chain/simulated-chain.ts";

// biome-ignore lint/suspicious/noExplicitAny: the reader picks fields of many bodies.
// oxlint-disable-next-line typescript/no-explicit-any
type Body = any;

const ONCHAIN = "/v4/public/onchain";
export const PROCESS = "/v4/public/process";
const ACTIVITY = CATEGORIES.map((category) => `/v1/public/activity?category=${category}`);
const SETTLEMENTS = [
  ...SETTLEMENT_RANGES.flatMap((range) => [
    `/v4/public/settlements?range=${range}`,
    `/v3/public/settlements?range=${range}`,
  ]),
  "/v4/public/settlements?range=now&queue=1",
];
const STATISTICS = ["/v2/public/stats?range=7d", "/v2/public/stats?range=30d"];
export const URLS: readonly string[] = [ONCHAIN, PROCESS, ...ACTIVITY, ...SETTLEMENTS, ...STATISTICS, "/status.json"];

/** The publisher's current configuration. */
export interface Configured {
  readonly chain: SimulatedChain;
  /** Null without an economy. */
  readonly releaseId: string | null;
}

/** The newest view that a reader got from a URL. */
interface Seen {
  /** Epoch ms at which it expires. */
  readonly until: number;
  /** Candidate blocks of which it could be the view. */
  readonly blocks: readonly SimulatedBlock[];
  readonly body: Body;
  /** Ids of measurement events. */
  readonly measurements: ReadonlySet<string>;
}

type View = Omit<Seen, "until">;

export interface ReaderOptions {
  readonly chains: readonly SimulatedChain[];
  read(url: string, at: number): Promise<ShimResponse>;
  configured(): Configured;
  /** Epoch ms of the last good pass over a chain. */
  lastGoodPassAt(chain: SimulatedChain): number;
  /** Epoch ms at which the stored response first changes by time only. */
  validUntil(url: string): number;
  /** The size of the next activity page. */
  pageSize(): number;
}

/** Milliseconds for which a view is valid after a good pass. */
export const VALIDITY = 600_000;
/** Milliseconds without a good pass until a view is unavailable. */
export const GRACE = 15_000;

export class ChainReader {
  readonly #options: ReaderOptions;
  readonly #seen = new Map<string, Seen>();
  #forgotten = Number.NEGATIVE_INFINITY;
  /** URLs whose last response was available and not from saved history. */
  readonly #live = new Set<string>();
  /** URLs whose last response was available. */
  readonly #available = new Set<string>();
  /** URLs whose history was neither in the store nor in the publisher's state when the publisher got another state. */
  readonly #lost = new Set<string>();
  readonly problems: string[] = [];

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  /** Starts a new history (epoch ms). Saved history has no age limit, so that of an earlier one may still be shown. */
  forget(at: number): void {
    this.#seen.clear();
    this.#forgotten = at;
  }

  /** The publisher has another state directory or other projections. They lack history that is not in the store. */
  loseSavedHistory(): void {
    for (const url of this.#seen.keys()) if (!this.#available.has(url)) this.#lost.add(url);
  }

  /**
   * Reads URLs at an instant (epoch ms). A read at a later instant is not remembered, because the world continues from
   * now.
   */
  async look(urls: readonly string[], at: number, when: string, { isLater = false } = {}): Promise<void> {
    for (const url of urls) {
      const before = this.#seen.get(url);
      const problem = (text: string) => this.problems.push(`${url} ${when}: ${text}`);
      const response = await this.#options.read(url, at);
      if (response.status !== 200) {
        if (before !== undefined && !url.startsWith("/v2/")) problem(`it has become ${response.status}`);
        continue;
      }
      const body = parsed(response);
      const { view, complaint } = await this.#viewOf(url, response, body, at);
      const isSaved = response.headers["x-service-settlement-source"] === "durable-cache";
      if (!isLater && (view === undefined || isSaved)) this.#live.delete(url);
      if (!isLater && view === undefined) this.#available.delete(url);
      if (complaint !== undefined) problem(complaint);
      if (view === undefined) continue;
      if (view.blocks.length === 0) {
        problem(`it is the view of no block: ${JSON.stringify(body).slice(0, 700)}`);
        continue;
      }
      const isFirst = before === undefined || isSavedElsewhere(response, before.body, body);
      const next = isFirst ? view : this.#continued(before, view);
      if (next === undefined) {
        problem(`it went back from ${labels(before?.blocks ?? [])} to ${labels(view.blocks)}`);
      } else if (!isLater) {
        if (!isSaved) this.#live.add(url);
        this.#available.add(url);
        this.#lost.delete(url);
        this.#seen.set(url, { ...next, until: this.#options.validUntil(url) });
      }
    }
  }

  /** The view, limited to blocks that descend from earlier reads; undefined if there are none. */
  #continued(before: Seen, view: View): View | undefined {
    if (before.blocks[0]?.chain !== view.blocks[0]?.chain) return view;
    const blocks = view.blocks.filter((block) => before.blocks.some((one) => descends(block, one)));
    const lacks = [...before.measurements].some((id) => !view.measurements.has(id));
    return blocks.length === 0 || lacks ? undefined : { ...view, blocks };
  }

  async #viewOf(
    url: string,
    response: ShimResponse,
    body: Body,
    at: number,
  ): Promise<{ readonly view?: View; readonly complaint?: string | undefined }> {
    if (url.startsWith("/v2/") || url === "/status.json") return {};
    if (url === PROCESS) return this.#processView(body);
    if (body.status !== "available") return { complaint: this.#whyNot(url, body, at) };
    const chain = this.#options.chains.find(({ deployment }) => deployment.target === body.chain.target);
    if (chain === undefined) return { complaint: "it belongs to an unknown deployment" };
    const { indexedThroughBlock, safeThroughBlock } = body.chain;
    if (Number(indexedThroughBlock) - Number(safeThroughBlock) !== 11)
      return { complaint: "it has fewer than 12 confirmations" };
    const source = response.headers["x-service-settlement-source"];
    if (source === "durable-cache" && Date.parse(body.generatedAt) < this.#forgotten) return {};
    const isExpired = source !== "durable-cache" && at >= this.#options.lastGoodPassAt(chain) + VALIDITY;
    const complaint = isExpired ? "it is available after its validity" : this.#whyOtherHistory(url, source, body);
    if (url.startsWith("/v1/")) {
      const walked = await this.#activityView(url, body, at);
      return { ...walked, complaint: complaint ?? walked.complaint };
    }
    const sameNumber = chain.blocksAt(Number(safeThroughBlock));
    const blocks = sameNumber.filter((block) =>
      url === ONCHAIN ? isOnchainOf(body, block) : isHistoryOf(body, block),
    );
    return { view: { blocks, body, measurements: new Set() }, complaint };
  }

  /** Saved history must equal what was published live before. */
  #whyOtherHistory(url: string, source: string | undefined, body: Body): string | undefined {
    const before = this.#seen.get(url);
    if (source !== "durable-cache" || before === undefined || !isSameBinding(before.body, body)) return undefined;
    const { queueProjection: _, ...live } = before.body;
    return isDeepStrictEqual(live, body) ? undefined : "the saved history is not what was published last";
  }

  /** Complains about a reason that cannot be true. */
  #whyNot(url: string, { reason, chain }: Body, at: number): string | undefined {
    const before = this.#seen.get(url);
    if (chain !== undefined) return "an unavailable body has a chain";
    const { chain: configured, releaseId } = this.#options.configured();
    if (before === undefined || before.blocks[0]?.chain !== configured) return undefined;
    const isBound = (before.body.economy?.releaseId ?? releaseId) === releaseId;
    const isKept = isBound && reason !== "indexer_disabled" && !this.#lost.has(url);
    if (url.includes("/settlements") && isKept) return "its saved history is lost";
    if (at >= before.until || !this.#live.has(url)) return undefined;
    if (reason === "not_yet_safe") return "not_yet_safe has replaced a valid view";
    const isSilent = at >= this.#options.lastGoodPassAt(configured) + GRACE;
    return reason === "indexer_unavailable" && !isSilent ? "it is unavailable within the grace" : undefined;
  }

  #processView({ builder }: Body): { readonly view?: View } {
    if (builder.status !== "available") return {};
    const { transactionHash, settledThroughRound, cumulativeWork, confirmedAt } = builder.anchor;
    const { chains, configured } = this.#options;
    const settled = chains.flatMap((chain) =>
      [...chain.blocks.values()].filter(({ settlements, number }) => {
        const last = settlements.at(-1);
        if (last === undefined) return number === 0 && transactionHash === null && chain === configured().chain;
        const isLast = last.block === number && last.transactionHash === transactionHash;
        return isLast && String(last.settledRound) === settledThroughRound && Date.parse(confirmedAt) === last.time;
      }),
    );
    const blocks = settled.filter(({ state }) => String(state.cumulativeWork) === cumulativeWork);
    return { view: { blocks, body: {}, measurements: new Set() } };
  }

  /** Reads the category to its end. All pages must match one block, with every event up to it. */
  async #activityView(
    url: string,
    first: Body,
    at: number,
  ): Promise<{ readonly view?: View; readonly complaint?: string | undefined }> {
    const { chains, read, pageSize } = this.#options;
    const category = url.split("=")[1];
    const { safeBlockHash } = first.chain;
    const block = chains.map(({ blocks }) => blocks.get(safeBlockHash)).find((found) => found !== undefined);
    if (block === undefined) return { complaint: `there is no block ${safeBlockHash}` };
    const events: Body[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const response = await read(`${url}&limit=${pageSize()}${cursor === "" ? "" : `&cursor=${cursor}`}`, at);
      if (response.status !== 200) return { complaint: `a page is ${response.status}` };
      const page = parsed(response);
      if (page.chain?.safeBlockHash !== safeBlockHash) return { complaint: "a page belongs to another block" };
      events.push(...page.events);
      cursor = page.nextCursor;
    }
    const ofChain = events.filter(({ source }) => source.kind === "chain");
    const shown = ofChain.map(({ id, source }) => `${id} ${source.blockHash}`);
    const expected = block.activity
      .filter(({ kind }: NamedEvent) => category === "all" || category === kind)
      .map(({ id, blockHash }) => `${id} ${blockHash}`)
      .toReversed();
    const isWhole = isDeepStrictEqual(shown, expected) && first.chain.safeThroughBlock === String(block.number);
    const measurements = new Set(events.filter(({ source }) => source.kind !== "chain").map(({ id }) => String(id)));
    const complaint = isWhole ? undefined : `it shows ${shown.length} events of ${expected.length}, or others`;
    return { view: { blocks: [block], body: {}, measurements }, complaint };
  }
}

export function parsed({ body }: ShimResponse): Body {
  return JSON.parse(new TextDecoder().decode(body));
}

function labels(blocks: readonly SimulatedBlock[]): string {
  return blocks
    .map(({ chain, number, hash }) => `${chain.deployment.target} ${number} ${hash.slice(0, 8)}`)
    .join(" or ");
}

/** Saved history of another binding does not constrain the newest view. */
function isSavedElsewhere({ headers }: ShimResponse, before: Body, now: Body): boolean {
  return headers["x-service-settlement-source"] === "durable-cache" && !isSameBinding(before, now);
}

function isSameBinding(one: Body, other: Body): boolean {
  const binding = ({ chain, economy, range }: Body) => [chain?.target, economy?.releaseId, range].join();
  return binding(one) === binding(other);
}

function isOnchainOf({ core, events, source, implementation }: Body, { state, onchain }: SimulatedBlock): boolean {
  const { settledThroughRound, cumulativeWork, nonce, paused } = state;
  const newest = onchain.slice(-25).toReversed();
  const ofCore = onchain.findLast(({ kind }) => kind === "core");
  return (
    core.settledThroughRound === String(settledThroughRound) &&
    core.cumulativeWork === String(cumulativeWork) &&
    core.blockHeight === String(cumulativeWork / WORK_PER_BLOCK) &&
    core.authorizationNonce === String(nonce) &&
    core.paused === paused &&
    implementation.codeAddress === state.implementation &&
    source.blockHash === ofCore?.blockHash &&
    isDeepStrictEqual(
      events.map(({ id, blockHash }: Body) => `${id} ${blockHash}`),
      newest.map(({ id, blockHash }) => `${id} ${blockHash}`),
    )
  );
}

/** The settlements of both versions. */
function isHistoryOf({ window, summary, recentSettlements, economy }: Body, block: SimulatedBlock): boolean {
  const [start, end] = window === null ? [0, Number.POSITIVE_INFINITY] : [window.startAt, window.endAt].map(Date.parse);
  const inside = block.settlements.filter(({ time }) => time >= (start ?? 0) && time < (end ?? 0));
  const sum = (of: (settlement: SimulatedSettlement) => bigint) =>
    String(inside.reduce((total, settlement) => total + of(settlement), 0n));
  const recent = inside.slice(-12).toReversed();
  return (
    isDeepStrictEqual(summary, {
      settlementCount: String(inside.length),
      activeRoundCount: sum(({ activeRounds }) => activeRounds),
      workAdded: sum(({ workAdded }) => workAdded),
      completedBlockCount: sum(completedBlocks),
      archivedSettlementCount: String(inside.length - recent.length),
    }) &&
    isDeepStrictEqual(
      recentSettlements.map(({ transactionHash, mint }: Body) => [transactionHash, mint]),
      recent.map((one) => [one.transactionHash, economy === undefined ? undefined : mintOf(one, block)]),
    )
  );
}

function completedBlocks({ blockHeight, cumulativeWork, workAdded }: SimulatedSettlement): bigint {
  return blockHeight - (cumulativeWork - workAdded) / WORK_PER_BLOCK;
}

function mintOf(settlement: SimulatedSettlement, { state, fundings }: SimulatedBlock): object {
  const { previousRound, settledRound } = settlement;
  if (state.mintedThroughRound < settledRound) {
    return { state: "pending", amountBaseUnits: String(completedBlocks(settlement) * BASELINE_REWARD) };
  }
  const own = fundings.filter(({ round }) => round > previousRound && round <= settledRound);
  return { state: "confirmed", amountBaseUnits: String(own.reduce((sum, { amount }) => sum + amount, 0n)) };
}
