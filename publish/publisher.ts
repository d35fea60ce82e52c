/**
 * A publisher at work: it holds the state directory and the lease, and runs cycles. Opening one may end in `Failure`:
 * state_locked, lease_held (75), ledger_… and store_… (74).
 */

import { INSTALLATIONS_KEY } from "../src/http/keys.ts";
import { type ObjectStore, StoreUnavailable } from "../src/object-store/object-store.ts";
import type { Publication } from "../src/resources/publication.ts";
import type { PublicRecord } from "../src/resources/publication-status/public-record.ts";
import type { ResourceName } from "../src/resources/table.ts";
import { Failure } from "../src/values/failure.ts";
import { checkpointOf, dirtyInstallations, resumeDue } from "./checkpoint.ts";
import type { Clock } from "./clock/clock.ts";
import { notBefore, PublishedTime } from "./clock/instant.ts";
import { type Cycle, runCycle } from "./cycle.ts";
import type { Known } from "./known.ts";
import { learn } from "./learn.ts";
import type { Lease, LeaseNews } from "./lease/lease.ts";
import { earlier } from "./pace.ts";
import { repairStore } from "./repair.ts";
import type { CycleReport } from "./report.ts";
import { checkTiles, Scrub } from "./scrub.ts";
import { newSession, reconcileNames, type Session, startHistory } from "./session.ts";
import type { PublishedSite } from "./site/public-record.ts";
import type { SourceReader } from "./sources/source-reader.ts";
import { PublisherStatus } from "./status/publisher-status.ts";
import type { RequestTally } from "./status/request-tally.ts";

export interface PublisherOptions {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly reader: SourceReader;
  readonly known: Known;
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
  /** Between two stored objects that are checked for damage (ms); 0: none is. */
  readonly scrubInterval: number;
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
  readonly #time: PublishedTime;
  readonly #status: PublisherStatus;
  readonly #scrub = new Scrub();
  /** Monotonic. */
  #scrubbedAt = Number.NEGATIVE_INFINITY;
  #scrubbed = 0;
  #last: CycleReport | undefined;

  private constructor(options: PublisherOptions, lease: Lease, session: Session) {
    this.#options = options;
    this.#lease = lease;
    this.#session = session;
    this.#time = new PublishedTime(
      () => options.clock.monotonic(),
      () => lease.clockOffset,
    );
    this.#status = new PublisherStatus(options, lease);
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
    const { known, store, concurrency, newHistories, program, force, reader } = options;
    const configured = reader.installationId;
    known.forgetOwn(configured);
    const blockHash = (number: bigint) => reader.blockHash(number, options.clock.wall());
    const learning = { store, known, concurrency, blockHash };
    await learn([{ is: "index", key: INSTALLATIONS_KEY }], learning);
    // A new history begins with every installation, as without a checkpoint.
    const checkpoint = newHistories.length > 0 ? null : lease.settled;
    const resumption = { checkpoint, known, configured, program, force };
    const session = newSession(options, dirtyInstallations(resumption));
    reconcileNames([{ is: "index", key: INSTALLATIONS_KEY }], session);
    resumeDue(session.pace, known);
    for (const id of newHistories) await startHistory(id, session, learning);
    if (newHistories.length > 0) reader.begin(options.clock.wall()).forgetLedger();
    // A run that dies once it has named them leaves them to the next one, whatever has moved.
    if (newHistories.length > 0 && lease.settled !== null) await lease.renew({ settled: null });
    return new Publisher(options, lease, session);
  }

  /** `at` never goes back (docs/spec/publishing.md#clocks): not before the last instant published. */
  instant(now: number): number {
    return notBefore(Number(this.#options.known.meta("at") ?? 0), this.now(now));
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
    return earlier(this.#session.pace.nextDue(), chain);
  }

  /** Microseconds, and no request: whether a cycle at this instant could have anything to do. */
  isIdle(at: number): boolean {
    if (this.#last === undefined || this.#options.reader.moved()) return false;
    const retryAt = isWhole(this.#last) ? Number.POSITIVE_INFINITY : this.#last.at + RETRY_AFTER_MS;
    return Math.min(this.nextDue() ?? Number.POSITIVE_INFINITY, retryAt) > at;
  }

  /** Throws what stops the whole cycle. `at` in epoch ms. */
  async cycle(at: number): Promise<CycleReport> {
    const { force } = this.#session;
    const report = await this.#cycle(at, this.#session);
    return force ? this.#checkTiles(report) : report;
  }

  /** Objects that were checked for damage. */
  get scrubbed(): number {
    return this.#scrubbed;
  }

  /**
   * Checks the object that was checked longest ago, if it is time for that; what is wrong with it is put right by the next
   * cycle. `at` in epoch ms. Throws the store's own errors.
   */
  async scrubIfDue(at: number): Promise<void> {
    const { store, reader, clock, scrubInterval } = this.#options;
    const now = clock.monotonic();
    if (scrubInterval === 0 || this.#last === undefined || now - this.#scrubbedAt < scrubInterval) return;
    this.#scrubbedAt = now;
    this.#scrubbed++;
    await this.#scrub.step({ session: this.#session, sources: reader.begin(at), target: { store }, at });
  }

  /** Puts right what the sources can give (docs/fsck.md). Throws as a cycle does. */
  async repair(at: number): Promise<CycleReport> {
    const { store, known } = this.#options;
    const forget = (key: string) => known.forget(key);
    const forcedCycle = async () => {
      this.#session.pace.forget();
      this.#session.moved.forget();
      await this.#checkTiles(await this.#cycle(at, { ...this.#session, force: true }));
    };
    await repairStore({ store, fence: this.#lease, now: at, forget, forcedCycle });
    return this.#last ?? { at, rows: [], failures: [], warnings: [] };
  }

  /** Reads every tile, and puts right at once what is wrong. */
  async #checkTiles(report: CycleReport): Promise<CycleReport> {
    const { reader, store, concurrency } = this.#options;
    const { at } = report;
    const sources = reader.begin(at);
    const failed = await checkTiles({ session: this.#session, sources, target: { store }, at }, concurrency);
    const mended = await this.#cycle(at, { ...this.#session, force: false });
    const before = new Set(report.rows.filter(({ action }) => action !== "unchanged").map(({ key }) => key));
    const rows = mended.rows.filter(({ key, action }) => !before.has(key) && action !== "unchanged");
    const all = [...report.rows.filter(({ key }) => !rows.some((row) => row.key === key)), ...rows, ...failed];
    this.#last = { ...mended, rows: all.toSorted((a, b) => (a.key < b.key ? -1 : 1)) };
    return this.#last;
  }

  async #cycle(at: number, session: Session): Promise<CycleReport> {
    const { reader, known, store, concurrency } = this.#options;
    if (reader.takeReplaced()) {
      session.pace.forget();
      session.moved.forget();
    }
    const version = reader.version();
    const blockHash = (number: bigint) => reader.blockHash(number, at);
    const target = { store, fence: this.#lease, known, concurrency, blockHash };
    const done = await this.#run({ at, session, sources: reader.begin(at), target, rows: [] });
    const report = { ...done, rows: [...done.rows, ...this.#scrub.faults()] };
    known.setMeta("at", String(at));
    known.setMeta("epoch", String(this.#lease.epoch));
    known.setMeta("knownEpoch", String(this.#lease.epoch));
    reader.settle(version);
    this.#last = report;
    return report;
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
    const { known, reader, clock } = this.#options;
    known.saveIfDue(clock.monotonic());
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
    return { ...news, settled: checkpointOf(this.#session, this.#options.program, this.#lease.settled) };
  }
}

/** What could not be published is tried again although nothing has moved. */
const RETRY_AFTER_MS = 5_000;

function isWhole({ rows }: CycleReport): boolean {
  return rows.every(({ action }) => action !== "failed");
}
