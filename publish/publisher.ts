/** A publisher: it holds the head, and runs cycles, renewals and checks under it. */
import { readNewestReceipt } from "../src/ledger/read/receipts.ts";
import { installationRowId } from "../src/ledger/watermarks.ts";
import type { Signer } from "../src/log/signer.ts";
import { type ObjectStore, StoreUnavailable } from "../src/object-store/object-store.ts";
import type { Publication } from "../src/resources/publication.ts";
import type { PublicRecord } from "../src/resources/publication-status/public-record.ts";
import { SITE_PREFIX } from "../src/resources/site/route.ts";
import type { Snapshot } from "../src/resources/snapshot.ts";
import { Failure } from "../src/values/failure.ts";
import { formatTimestamp } from "../src/values/timestamp.ts";
import { Agenda, earlier } from "./agenda.ts";
import type { WatchedClock } from "./clock/clock.ts";
import { isClockFailure, StoreSkew } from "./clock/compare.ts";
import { notBefore } from "./clock/instant.ts";
import { type CycleResult, runStep } from "./cycle.ts";
import { checkDoubted, checkInTurn, confirmStored } from "./damage.ts";
import type { Head } from "./head/head.ts";
import type { HeldHead } from "./head/held-head.ts";
import { Memory } from "./plan/step.ts";
import { executeDeletions, type PutTarget } from "./put.ts";
import type { CycleReport } from "./report.ts";
import type { SourceReader } from "./sources/source-reader.ts";
import type { StateDirectory } from "./state-directory.ts";

export interface PublisherOptions {
  readonly store: ObjectStore;
  readonly clock: WatchedClock;
  readonly reader: SourceReader;
  readonly state: StateDirectory;
  /** All but telemetry. */
  readonly publications: readonly Publication[];
  /** Puts in flight. */
  readonly concurrency: number;
  /** The keys that sign the log, all of one name; none: the log is private. */
  readonly signers: readonly Signer[];
  /** Put everything as of now, changed or not, and compare every tile and file of the log. */
  readonly force: boolean;
  /** Minimum time between two puts of one key (ms); 0 if puts cost nothing. */
  readonly minimumPutInterval: number;
  /** Minimum time between two swaps for new facts (ms); 0 if puts cost nothing. */
  readonly swapInterval: number;
  /** The version of this program. */
  readonly program: string;
  /** How long a chain view is valid after a good pass (ms). */
  readonly chainValidity: number;
}

/** After a cycle with a failure the next one runs after this time (ms). */
const RETRY_AFTER_MS = 5_000;

export class Publisher {
  readonly #options: PublisherOptions;
  readonly #held: HeldHead;
  readonly #agenda: Agenda;
  readonly #memory = new Memory();
  readonly #skew: StoreSkew;
  #last: CycleReport | undefined;
  #result: Pick<CycleResult, "hasMore" | "wakeAt"> = { hasMore: false, wakeAt: undefined };
  /** Counts the searches for damage. */
  #turn = 0;
  /** `seq` of the head after which damage was last looked for. */
  #checkedAfter = 0;
  #sources: PublicRecord["sources"];
  #ended: Failure | undefined;

  /** `held` was just taken. */
  constructor(options: PublisherOptions, held: HeldHead) {
    this.#options = options;
    this.#held = held;
    this.#agenda = new Agenda(options.minimumPutInterval);
    this.#skew = new StoreSkew(options.store, options.clock);
    this.#sources = held.head.sources;
    if (options.force)
      held.note(({ unfinished }) => ({ unfinished: { ...unfinished, since: 0, until: 0, through: 0 } }));
  }

  /** Runs `work` under a head that was just taken, and releases it, also after a failure. Throws what `work` throws. */
  static async hold<T>(
    options: PublisherOptions,
    held: HeldHead,
    work: (publisher: Publisher) => Promise<T>,
  ): Promise<T> {
    const publisher = new Publisher(options, held);
    let result: T;
    try {
      result = await work(publisher);
    } catch (error) {
      await publisher.release(error).catch(() => {
        // The first error is reported; a lease that cannot be released expires.
      });
      throw error;
    }
    await publisher.release();
    return result;
  }

  get head(): Head {
    return this.#held.head;
  }

  /**
   * The instant of the next cycle: `now`, but never before the last published instant (docs/spec/publishing.md#clocks).
   * Throws `Failure` clock_moved, clock_behind.
   */
  instant(now: number): number {
    this.#held.checkClock();
    return notBefore(this.#held.head.at, now);
  }

  /** The sources at the end of the last cycle. */
  get sources(): PublicRecord["sources"] {
    return this.#sources;
  }

  /** The last cycle's report; undefined before the first. */
  get last(): CycleReport | undefined {
    return this.#last;
  }

  /** The next instant (epoch ms) at which something changes without new input. */
  nextDue(): number | undefined {
    const { reader } = this.#options;
    const chain = this.#last === undefined ? undefined : reader.nextChange(this.#last.at);
    const next = earlier(earlier(this.#agenda.next(), this.#result.wakeAt), chain);
    return this.#result.hasMore || this.#isUnfinished ? earlier(next, this.#last?.at) : earlier(next, this.#retryAt);
  }

  /** When (epoch ms) the first of the installations that failed, or were found damaged, is put again. */
  get #retryAt(): number | undefined {
    const { left } = this.#held.head.unfinished;
    return left.reduce<number | undefined>((at, [id]) => earlier(at, this.#memory.retries.get(id) ?? 0), undefined);
  }

  /** Something was found damaged, or an earlier holder has left it. */
  get #isUnfinished(): boolean {
    const { unfinished } = this.#held.head;
    const failed = new Set(this.#last?.rows.flatMap(({ key, action }) => (action === "failed" ? key : [])));
    return unfinished.keys.some((key) => !failed.has(key));
  }

  /** True if a cycle at this instant would have nothing to do. Takes microseconds and makes no request. */
  isIdle(at: number): boolean {
    if (this.#held.age < this.#options.swapInterval && this.#last !== undefined) return true;
    if (this.#last === undefined || this.#options.reader.hasChanged() || this.#isUnfinished) return false;
    const isWhole = this.#last.rows.every(({ action }) => action !== "failed");
    const retryAt = isWhole ? Number.POSITIVE_INFINITY : this.#last.at + RETRY_AFTER_MS;
    return Math.min(this.nextDue() ?? Number.POSITIVE_INFINITY, retryAt) > at;
  }

  /** Throws what stops the whole cycle. `at` in epoch ms. */
  async cycle(at: number): Promise<CycleReport> {
    const { reader, swapInterval } = this.#options;
    const replaced = reader.reopenReplaced();
    // Versions of derived data begin again in a new file, so an equal version does not mean equal data.
    if (replaced.ledger || replaced.projections) this.#agenda.forget();
    const version = reader.version();
    if (this.#last === undefined && !this.#options.force) await confirmStored(this.#target);
    let rows: CycleReport["rows"] = [];
    try {
      for (;;) {
        const sources = reader.begin(at);
        const { report, hasMore, wakeAt } = await runStep({
          sources,
          target: this.#target,
          memory: this.#memory,
          agenda: this.#agenda,
          options: this.#options,
          at,
        });
        const keys = new Set(report.rows.map(({ key }) => key));
        rows = [...rows.filter(({ key }) => !keys.has(key)), ...report.rows];
        this.#last = { ...report, rows };
        this.#result = { hasMore, wakeAt };
        this.#sources = sources.snapshot((snapshot) => sourcesOf(snapshot, report, this.#options.chainValidity));
        if (!hasMore || swapInterval > 0) break;
      }
    } catch (error) {
      if (error instanceof Failure && error.isAbout("ledger")) {
        this.#sources = { ...this.#sources, ledger: { ...this.#sources.ledger, status: "unreadable" } };
      }
      throw error;
    } finally {
      // The next swap stores it: the next cycle's, or a renewal's.
      this.#held.note((head) => this.#status(head, this.nextDue()));
    }
    reader.acknowledge(version);
    await this.#deleteUnnamed(at);
    return this.#last;
  }

  get #target(): PutTarget {
    const { store, concurrency } = this.#options;
    return { store, concurrency, held: this.#held };
  }

  /** One whole run: a cycle, a search for damage, and another cycle for what was found. */
  async once(at: number): Promise<CycleReport> {
    const first = await this.cycle(at);
    await this.search(at);
    if (this.isIdle(at)) return first;
    const { rows, ...second } = await this.cycle(at);
    const changed = rows.filter(({ action }) => action !== "unchanged");
    const keys = new Set(changed.map(({ key }) => key));
    return { ...second, rows: [...first.rows.filter(({ key }) => !keys.has(key)), ...changed] };
  }

  /** Renews the lease if due, after which some objects are checked for damage. */
  async renewIfDue(): Promise<void> {
    const { reader, clock, state } = this.#options;
    this.#held.checkClock();
    reader.saveIfDue(clock.monotonic());
    if (!this.#held.renewalDue) return;
    try {
      await this.#skew.check();
    } catch (error) {
      if (error instanceof Failure) this.#held.stop(error);
      throw error;
    }
    await this.#held.swap();
    state.noteLog(this.#held.head.log);
  }

  /** Looks for damage after a renewal. `at` in epoch ms. Throws the store's own errors. */
  async scrubIfDue(at: number): Promise<void> {
    const { seq } = this.#held.head;
    if (this.#last === undefined || seq === this.#checkedAfter) return;
    await this.search(at);
    this.#checkedAfter = seq;
  }

  /** Reads the doubted objects and some others. The next cycle puts again what is wrong. */
  async search(at: number): Promise<void> {
    const { reader, publications } = this.#options;
    const checking = { sources: reader.begin(at), target: this.#target, publications };
    await checkDoubted(checking, at);
    await checkInTurn(this.#turn++, checking);
  }

  /** How often damage was looked for. */
  get scrubbed(): number {
    return this.#turn;
  }

  /** Releases the lease. The head then names `cause`, if a failure ended this publisher. */
  async release(cause?: unknown): Promise<void> {
    if (cause instanceof Failure) this.#ended = cause;
    try {
      await this.#held.release((head) => this.#status(head, undefined));
      this.#options.state.noteLog(this.#held.head.log);
    } catch (error) {
      const isExpected = error instanceof StoreUnavailable || isClockFailure(error);
      if (!isExpected && cause === undefined) throw error;
      if (error instanceof StoreUnavailable && cause === undefined) throw error;
    }
  }

  /** The report of the last cycle, for the head. */
  #status(head: Head, nextCycleAt: number | undefined): Partial<Head> {
    const problems = new Map<string, number>();
    const count = (code: string) => problems.set(code, (problems.get(code) ?? 0) + 1);
    for (const { action, code } of this.#last?.rows ?? []) if (action === "failed") count(code ?? "internal_error");
    for (const { code } of this.#last?.failures ?? []) count(code);
    if (this.#ended !== undefined && !problems.has(this.#ended.code)) count(this.#ended.code);
    return {
      at: Math.max(head.at, this.#last?.at ?? 0),
      nextCycleAt: nextCycleAt ?? null,
      sources: this.#sources,
      problems: [...problems],
    };
  }

  /** Deletes what nothing refers to any more. After an outage, a later cycle does it. */
  async #deleteUnnamed(at: number): Promise<void> {
    const target = this.#target;
    const { store } = target;
    const due = this.#held.head.retired.filter(([, until]) => until <= at).map(([key]) => key);
    const gone = this.#goneResponses();
    try {
      for (const key of due) await executeDeletions(key.endsWith("/") ? await listed(store, key) : [key], target);
      if (gone.length > 0) await executeDeletions(await listed(store, SITE_PREFIX), target);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      return;
    }
    if (due.length + gone.length === 0) return;
    this.#held.note(({ retired, responses, unfinished }) => ({
      retired: retired.filter(([key]) => !due.includes(key)),
      responses: Object.fromEntries(Object.entries(responses).filter(([key]) => !gone.includes(key))),
      unfinished: { ...unfinished, keys: unfinished.keys.filter((key) => !gone.includes(key)) },
    }));
  }

  /** The files of a site that is turned off. */
  #goneResponses(): string[] {
    const isSite = (key: string) => key.startsWith(SITE_PREFIX);
    if (this.#options.publications.some(({ key }) => isSite(key))) return [];
    return Object.keys(this.#held.head.responses).filter(isSite);
  }
}

async function listed(store: ObjectStore, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of store.list(prefix)) keys.push(key);
  return keys;
}

type Sources = PublicRecord["sources"];

function sourcesOf(
  { ledger, installationId, chain }: Snapshot,
  { failures }: Pick<CycleReport, "failures">,
  chainValidity: number,
): Sources {
  const rowId = ledger && installationRowId(ledger, installationId);
  const newest = ledger === undefined || rowId === undefined ? undefined : readNewestReceipt(ledger, rowId);
  const isRefused = failures.some(({ code }) => code === "ledger_behind" || code === "ledger_forked");
  return {
    ledger: {
      status: ledger === undefined ? "none" : isRefused ? "behind" : "followed",
      newestReceiptAt: newest === undefined ? null : formatTimestamp(newest.receivedAt),
    },
    chain: chainOf(chain, chainValidity),
  };
}

const CHAIN_STATUS = {
  indexer_disabled: "disabled",
  indexer_mismatch: "mismatch",
  indexer_unavailable: "silent",
  not_yet_safe: "behind",
} as const;

function chainOf({ core, validUntil }: Snapshot["chain"], chainValidity: number): Sources["chain"] {
  if (core.status === "unavailable") {
    const status = CHAIN_STATUS[core.reason];
    return { status, indexedThroughBlock: null, safeThroughBlock: null, lastGoodPassAt: null };
  }
  const { indexedThroughBlock, safeThroughBlock } = core.view.chain;
  return {
    status: "followed",
    indexedThroughBlock: String(indexedThroughBlock),
    safeThroughBlock: String(safeThroughBlock),
    lastGoodPassAt: formatTimestamp(validUntil - chainValidity),
  };
}
