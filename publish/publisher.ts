/**
 * A publisher at work: it holds the state directory and the lease, and runs cycles. Opening one may end in `Failure`:
 * state_locked, lease_held (75), ledger_… and store_… (74).
 */
import { type ObjectStore, StoreUnavailable } from "../src/object-store/object-store.ts";
import type { Publication } from "../src/resources/publication.ts";
import type { PublicRecord } from "../src/resources/publication-status/public-record.ts";
import type { ResourceName } from "../src/resources/table.ts";
import { Failure } from "../src/values/failure.ts";
import { ActivityRecall } from "./activity/recall.ts";
import { BuildSchedule, earlier } from "./answers/build-schedule.ts";
import { lookAtPublished } from "./answers/look-at-published.ts";
import { SavedBodyRecall } from "./answers/recall-saved.ts";
import { BehindList } from "./asof/behind-list.ts";
import type { Clock } from "./clock/clock.ts";
import { notBefore, PublishedTime } from "./clock/instant.ts";
import { type Cycle, type Recall, runCycle } from "./cycle/cycle.ts";
import type { Session } from "./cycle/session.ts";
import { resumeDue, resumed, settledPoint } from "./cycle/settled.ts";
import { sweep } from "./cycle/sweep.ts";
import type { Lease, LeaseNews } from "./lease/lease.ts";
import { mendTiles } from "./mend/mend.ts";
import { repairStore } from "./mend/repair.ts";
import { Histories } from "./observations/histories.ts";
import { TilePace } from "./observations/tile-pace.ts";
import type { CycleReport } from "./puts/report.ts";
import type { PublishedSite } from "./site/public-record.ts";
import type { SourceReader } from "./sources/source-reader.ts";
import type { Published } from "./state/published.ts";
import { PublisherStatus } from "./status/publisher-status.ts";
import type { RequestTally } from "./status/request-tally.ts";

export interface PublisherOptions {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly reader: SourceReader;
  readonly published: Published;
  readonly publications: readonly Publication[];
  selected(resource: ResourceName): boolean;
  /** Puts in flight at once. */
  readonly concurrency: number;
  /** Installations whose published history is left behind on purpose. */
  readonly newHistories: readonly string[];
  /** Put everything as of this instant, changed or not. */
  readonly force: boolean;
  /** Of one key, where puts cost something (S3, R2): the first change at once, then at most one put in this time (ms). */
  readonly minimumPutInterval: number;
  /** The version of this program. */
  readonly program: string;
  /** What the store is asked, for `noonmark cost`; absent where nobody counts. */
  readonly requests?: RequestTally | undefined;
  /** What is published beside the API; undefined with the site turned off. */
  readonly site?: PublishedSite | undefined;
}

export class Publisher {
  readonly #options: PublisherOptions;
  readonly #lease: Lease;
  readonly #session: Session;
  readonly #recall: Recall;
  readonly #time: PublishedTime;
  readonly #status: PublisherStatus;
  #last: CycleReport | undefined;
  /** The id of the last repair that was asked for and done. */
  #repaired: string | undefined;

  private constructor(options: PublisherOptions, lease: Lease, histories: Histories) {
    this.#options = options;
    this.#lease = lease;
    this.#time = new PublishedTime(
      () => options.clock.monotonic(),
      () => lease.clockOffset,
    );
    this.#status = new PublisherStatus(options, lease);
    const { store, published, publications, program, force, minimumPutInterval } = options;
    const schedule = new BuildSchedule(published, minimumPutInterval);
    resumeDue(schedule, published);
    this.#session = {
      published,
      publications,
      force,
      histories,
      moved: resumed({ settled: lease.settled, histories, program, force }),
      historyOf: (id) => histories.progress(id).history,
      publishedCores: new Map(),
      coresAsked: new Set(),
      behind: new BehindList(),
      selected: (resource) => options.selected(resource),
      schedule,
      tilePace: new TilePace(minimumPutInterval),
    };
    this.#recall = { activity: new ActivityRecall(store, published), savedBodies: new SavedBodyRecall(store) };
    // Before the first cycle the lease tells what the last holder told.
    lease.tell(() => (this.#last === undefined ? {} : this.#news(this.nextDue())));
  }

  /**
   * Begins under a lease just taken, works, and lets the lease go, also if that fails: the store then says why, and a
   * standby need not wait. Throws what `work` throws.
   */
  static async hold<T>(
    options: PublisherOptions,
    lease: Lease,
    work: (publisher: Publisher) => Promise<T>,
  ): Promise<T> {
    let publisher: Publisher | undefined;
    try {
      publisher = await Publisher.begin(options, lease);
      return await work(publisher);
    } catch (error) {
      await (publisher?.release(error) ?? lease.release({})).catch(() => {
        // The run ends by what went wrong first; a lease that cannot be let go runs out by itself.
      });
      publisher = undefined;
      throw error;
    } finally {
      await publisher?.release();
    }
  }

  /** With a lease just taken (`acquireNow`, or a standby's). */
  static async begin(options: PublisherOptions, lease: Lease): Promise<Publisher> {
    await lookAtPublished(options);
    const histories = await Histories.load(options.store, options.published, options.reader.installationId);
    for (const id of options.newHistories) await histories.startNew(id);
    // A run that dies once it has named them leaves them to the next one, whatever has moved.
    if (options.newHistories.length > 0 && lease.settled !== null) await lease.renew({ settled: null });
    return new Publisher(options, lease, histories);
  }

  /** `at` never goes back (docs/spec/publishing.md#clocks): not before the last instant published. */
  instant(now: number): number {
    return notBefore(Number(this.#options.published.meta("at") ?? 0), this.now(now));
  }

  /** Epoch ms by the common clock; `wall` is this host's. */
  now(wall: number): number {
    return this.#time.now(wall);
  }

  /** As the last cycle has seen them. */
  get sources(): PublicRecord["sources"] {
    return this.#status.sources;
  }

  /** What the last cycle did; undefined before the first. */
  get last(): CycleReport | undefined {
    return this.#last;
  }

  /** The earliest instant (epoch ms) at which something changes by time alone. */
  nextDue(): number | undefined {
    const chain = this.#last === undefined ? undefined : this.#options.reader.nextChange(this.#last.at);
    const { schedule, tilePace } = this.#session;
    return earlier(earlier(schedule.nextDue(), tilePace.nextDue()), chain);
  }

  /** Microseconds, and no request: whether a cycle at this instant could have anything to do. */
  isIdle(at: number): boolean {
    if (this.#last === undefined || this.#options.reader.moved() || this.#repairToDo !== undefined) return false;
    const retryAt = isWhole(this.#last) ? Number.POSITIVE_INFINITY : this.#last.at + RETRY_AFTER_MS;
    return Math.min(this.nextDue() ?? Number.POSITIVE_INFINITY, retryAt) > at;
  }

  /** Where somebody has asked for a repair, everything is put, and the store is put right. */
  async cycle(at: number): Promise<CycleReport> {
    const asked = this.#repairToDo;
    if (asked === undefined) return this.#cycle(at, this.#session);
    const report = await this.repair(at);
    this.#repaired = asked;
    return report;
  }

  /** Puts right what the sources can give (docs/fsck.md). Throws as a cycle does. */
  async repair(at: number): Promise<CycleReport> {
    const { store, published } = this.#options;
    const forget = (key: string) => published.forget(key);
    const forcedCycle = async () => {
      this.#session.schedule.forget();
      this.#session.moved.forget();
      await this.#cycle(at, { ...this.#session, force: true });
    };
    await repairStore({ store, fence: this.#lease, now: at, forget, forcedCycle });
    return this.#last ?? { at, rows: [], failures: [], warnings: [] };
  }

  async #cycle(at: number, session: Session): Promise<CycleReport> {
    const { reader, published, store, concurrency, site } = this.#options;
    const { histories, schedule, moved } = session;
    if (reader.takeReplaced()) {
      schedule.forget();
      moved.forget();
    }
    const version = reader.version();
    const { history } = histories.progress(reader.installationId);
    const sources = reader.begin(at, `${history}-${this.#lease.epoch}`);
    const target = { store, fence: this.#lease, concurrency };
    const done = await this.#run({ at, session, sources, target, recall: this.#recall });
    const mended = session.force ? await mendTiles(session, { sources, target, at }) : [];
    const report = { ...done, rows: [...done.rows, ...mended] };
    await sweep(session, { sources, target, at }, site !== undefined);
    published.setMeta("at", String(at));
    published.setMeta("epoch", String(this.#lease.epoch));
    reader.settle(version);
    this.#last = report;
    return report;
  }

  get #repairToDo(): string | undefined {
    const asked = this.#lease.repairAsked;
    return asked === this.#repaired ? undefined : asked;
  }

  async #run(cycle: Cycle): Promise<CycleReport> {
    try {
      const report = await runCycle(cycle);
      this.#status.saw(cycle.sources, report);
      return report;
    } catch (error) {
      this.#status.failed(error);
      throw error;
    }
  }

  /** Writes what is due: the state, status.json, and what the operator is told if that has changed. */
  async renewIfDue(nextCycleAt: number | undefined): Promise<void> {
    const { published, reader, clock } = this.#options;
    published.saveIfDue(clock.monotonic());
    reader.saveIfDue(clock.monotonic());
    if (this.#lease.renewalDue) await this.#lease.renew(this.#news(nextCycleAt));
    if (this.#status.isOperatorDue) await this.#status.tellOperator(this.#last);
  }

  /** Ends the publisher's hold; the store then says so, and why if `cause` ended it. */
  async release(cause?: unknown): Promise<void> {
    if (cause instanceof Failure) this.#status.endedBy(cause);
    try {
      await this.#status.tellOperator(this.#last);
    } catch (error) {
      // Whoever waits for the lease is not kept waiting by it.
      if (!(error instanceof StoreUnavailable) && cause === undefined) throw error;
    }
    await this.#lease.release(this.#news(undefined));
  }

  #news(nextCycleAt: number | undefined): LeaseNews {
    const news = this.#status.news(this.#last, nextCycleAt);
    if (this.#last === undefined) return news;
    const report = { ...news.report, ...(this.#repaired === undefined ? {} : { repaired: this.#repaired }) };
    return { ...news, report, settled: settledPoint(this.#session, this.#options.program, this.#lease.settled) };
  }
}

/** What could not be published is tried again although nothing has moved. */
const RETRY_AFTER_MS = 5_000;

function isWhole({ rows }: CycleReport): boolean {
  return rows.every(({ action }) => action !== "failed");
}
