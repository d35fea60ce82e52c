/** A reader of a model test: what it gets at an instant, and if that continues what it got before. */
import { logPrefix } from "../../../src/http/keys.ts";
import type { ObjectStore } from "../../../src/object-store/object-store.ts";
import { CATEGORIES } from "../../../src/resources/activity/route.ts";
import { type ShimContext, shimContext } from "../../../src/shim/context.ts";
import { respond } from "../../../src/shim/respond.ts";
import { type Id, isPrefix, LEDGERS } from "./ledgers.ts";

/** The newest facts of an installation that readers have seen. They may only grow. */
export interface Seen {
  readonly receipts: readonly number[];
  /** The sequence of the newest receipt in telemetry. */
  readonly telemetry: number;
  readonly modules: readonly number[];
  readonly acceptedWork: number;
}

export const nothingSeen = (): Seen => ({ receipts: [], telemetry: 0, modules: [], acceptedWork: 0 });

export function hasGrown(before: Seen, now: Seen): boolean {
  return (
    isPrefix(before.receipts, now.receipts) &&
    isPrefix(before.modules, now.modules) &&
    now.telemetry >= before.telemetry &&
    now.acceptedWork >= before.acceptedWork
  );
}

// biome-ignore lint/suspicious/noExplicitAny: the reader picks fields of many bodies.
// oxlint-disable-next-line typescript/no-explicit-any
type Body = any;

/** A response without parts that depend on the instant or on the history of publishers. */
export type Comparable = Readonly<Record<string, unknown>>;

const SINGLE_URLS = [
  "/v1/public/telemetry",
  "/v1/public/installations/unknown/telemetry",
  "/v1/public/modules",
  "/v4/public/process",
  ...["7d", "30d"].map((range) => `/v2/public/stats?range=${range}`),
  "/v4/public/onchain",
  ...["now", "24h", "7d", "30d"].flatMap((range) => [
    `/v4/public/settlements?range=${range}`,
    `/v3/public/settlements?range=${range}`,
  ]),
  "/v4/public/settlements?range=now&queue=1",
  "/",
  "/robots.txt",
];

export class Reader {
  readonly #store: ObjectStore;
  readonly #remembers: boolean;
  #at = 0;
  #context: ShimContext | undefined;
  /** The last text of each URL, parsed. */
  readonly #parsed = new Map<string, { readonly text: string; readonly body: Body }>();

  /** `remembers`: as one shim that remembers for a second; else each request comes to a new shim. */
  constructor(store: ObjectStore, { remembers = false } = {}) {
    this.#store = store;
    this.#remembers = remembers;
  }

  /** The next request comes to a new shim. */
  forget(): void {
    this.#context = undefined;
  }

  /** A file of the public log, by its path below `log/`. */
  async logFile(path: string): Promise<Uint8Array | undefined> {
    return (await this.#store.get(logPrefix("public") + path))?.body;
  }

  /** True if telemetry has a receipt at that instant (epoch ms). */
  async hasReceipt(at: number): Promise<boolean> {
    const { status, body } = await this.get("/v1/public/telemetry", at);
    return status === 200 && body.measurement !== null;
  }

  /** `at` is in epoch ms. JSON pages are parsed; other files are returned as text. */
  async get(url: string, at: number): Promise<{ status: number; headers: object; body: Body }> {
    this.#at = at;
    if (!this.#remembers) this.forget();
    this.#context ??= shimContext({ store: this.#store, now: () => this.#at, monotonic: () => this.#at });
    const { status, headers, body } = await respond({ method: "GET", url }, this.#context);
    const text = new TextDecoder().decode(body);
    let parsed = this.#parsed.get(url);
    if (parsed?.text !== text) {
      parsed = { text, body: text.startsWith("{") ? JSON.parse(text) : text };
      this.#parsed.set(url, parsed);
    }
    return { status, headers, body: parsed.body };
  }

  /** The body; undefined for a 503, which shows nothing. */
  async body(url: string, at: number): Promise<Body> {
    const { status, body } = await this.get(url, at);
    return status === 200 ? body : undefined;
  }

  /** The facts of an installation. A 503 shows nothing new, so the facts of `before` remain. */
  async seen(id: Id, before: Seen, at: number): Promise<Seen> {
    const [telemetry, observations, modules, statistics] = await Promise.all([
      this.body(`/v1/public/installations/${id}/telemetry`, at),
      this.observations(id, at),
      this.body("/v1/public/modules", at),
      this.body("/v2/public/stats?range=7d", at),
    ]);
    const work = telemetry?.measurement?.cumulativeWorkUnits;
    const accepted = Number(statistics?.lifetime?.acceptedWorkUnits ?? -1);
    const isOwnWork = accepted >= 1_000_000 === (id === "wheel-2") && accepted > 0;
    return {
      receipts:
        observations?.map(({ cumulativeWorkUnits }) => Number(cumulativeWorkUnits) % LEDGERS) ?? before.receipts,
      telemetry: telemetry === undefined ? before.telemetry : Math.floor(Number(work ?? 0) / LEDGERS),
      modules:
        modules?.installationId === id
          ? modules.modules.map(({ moduleVersion }: { moduleVersion: string }) => Number(moduleVersion.split(".")[2]))
          : before.modules,
      acceptedWork: isOwnWork ? accepted : before.acceptedWork,
    };
  }

  /** All observations, page by page; undefined if a page is 503. */
  async observations(id: string, at: number): Promise<Body[] | undefined> {
    return this.#pages(`/v1/public/installations/${id}/observations?limit=100`, "items", at);
  }

  /** All events of a category, newest first; undefined if a page is 503 or the activity is unavailable. */
  async activity(category: string, at: number): Promise<{ installationId: string; events: Body[] } | undefined> {
    const url = `/v1/public/activity?category=${category}&limit=100`;
    const [head, events] = [await this.body(url, at), await this.#pages(url, "events", at)];
    return events && { installationId: head.installationId, events };
  }

  /** Every response for some installations of one ledger. The first is the configured installation. */
  async everything(ids: readonly string[], at: number): Promise<Comparable> {
    const all: Record<string, unknown> = {};
    for (const id of ids) {
      const url = `/v1/public/installations/${id}/telemetry`;
      all[url] = comparable(await this.get(url, at));
      all[`observations of ${id}`] = await this.observations(id, at);
    }
    for (const url of SINGLE_URLS) all[url] = comparable(await this.get(url, at));
    for (const category of CATEGORIES) all[`activity ${category}`] = await this.activity(category, at);
    return all;
  }

  async #pages(url: string, field: string, at: number): Promise<Body[] | undefined> {
    const all: Body[] = [];
    for (let cursor = ""; ; ) {
      const page = await this.body(`${url}${cursor}`, at);
      if (page === undefined || page[field] === undefined) return undefined;
      all.push(...page[field]);
      if (page.nextCursor === null) return all;
      cursor = `&cursor=${page.nextCursor}`;
    }
  }
}

/** Statistics contain their computation time, which differs between cycles. */
function comparable({ status, headers, body }: { status: number; headers: object; body: Body }): unknown {
  if (status !== 200) return { status };
  const { generatedAt: _, revision, window, ...rest } = typeof body === "string" ? { text: body } : body;
  if (window?.bucketSeconds === undefined) return { status, headers, revision, window, ...rest };
  return { status, ...rest, window: { ...window, endAt: undefined } };
}
