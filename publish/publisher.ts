/** A publisher: it holds the state directory and the lease, and runs cycles and checks under them. */

import type { Signer } from "../src/log/signer.ts";
import { type ObjectStore, StoreUnavailable } from "../src/object-store/object-store.ts";
import type { Publication } from "../src/resources/publication.ts";
import type { PublicRecord } from "../src/resources/publication-status/public-record.ts";
import { Failure } from "../src/values/failure.ts";
import { formatTimestamp } from "../src/values/timestamp.ts";
import { checkpointOf, dueAtStart } from "./checkpoint.ts";
import type { Clock } from "./clock/clock.ts";
import { notBefore } from "./clock/instant.ts";
import { isClockFailure } from "./clock/judge.ts";
import { type Cycle, doubtEndsAt, runCycle } from "./cycle.ts";
import { type Due, earlier, RETRY_AFTER_MS } from "./due.ts";
import { Turns } from "./each-limited.ts";
import type { Known } from "./known.ts";
import type { Lease, StatusUpdate } from "./lease/lease.ts";
import type { CycleReport } from "./report.ts";
import { checkTiles, Scrub } from "./scrub.ts";
import type { SourceReader } from "./sources/source-reader.ts";
import type { HintOf } from "./status/private-status.ts";
import type { PublishedSite } from "./status/public-status.ts";
import { PublisherStatus } from "./status/publisher-status.ts";

export interface PublisherOptions {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly reader: SourceReader;
  readonly known: Known;
  readonly publications: readonly Publication[];
  /** Puts in flight. */
  readonly concurrency: number;
  /** The keys that sign the log, all of one name; none: the log is private. */
  readonly signers: readonly Signer[];
  /** The operator agrees that the log becomes public (`--publish-log`). */
  readonly mayPublishLog?: boolean;
  /** The number of the log with which the published one is replaced (`--new-log`). */
  readonly newLog: number | undefined;
  /** Put everything as of now, changed or not. */
  readonly force: boolean;
  /** Minimum time between two puts of one key (ms); 0 if puts cost nothing. The first change is put at once. */
  readonly minimumPutInterval: number;
  /** One stored object is checked for damage in this time (ms); 0: none. */
  readonly scrubInterval: number;
  /** The version of this program. */
  readonly program: string;
  /** Phrases the next step after a failure, for the operator. */
  readonly hintOf: HintOf;
  /** Undefined if the site is turned off. */
  readonly site?: PublishedSite | undefined;
}

export class Publisher {
  readonly #options: PublisherOptions;
  readonly #lease: Lease;
  readonly #due: Due;
  readonly #status: PublisherStatus;
  readonly #scrub = new Scrub();
  /** Monotonic. */
  #scrubbedAt = Number.NEGATIVE_INFINITY;
  #scrubbed = 0;
  /** The renewal of the lease after which the shared objects were last checked. */
  #checkedAfter = "";
  #last: CycleReport | undefined;

  private constructor(options: PublisherOptions, lease: Lease, due: Due) {
    this.#options = options;
    this.#lease = lease;
    this.#due = due;
    this.#status = new PublisherStatus(options, lease);
    // Until the first cycle has ended, the lease keeps the last holder's status.
    lease.onRenewal(() => (this.#last === undefined ? {} : this.#statusUpdate(this.nextDue())));
  }

  /** Runs `work` under a lease that was just taken, and releases it, also after a failure. Throws what `work` throws. */
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
        // The first error is reported; a lease that cannot be released expires.
      });
      publisher = undefined;
      throw error;
    } finally {
      await publisher?.release();
    }
  }

  /** `lease` was just taken. */
  static async begin(options: PublisherOptions, lease: Lease): Promise<Publisher> {
    const { known, newLog, reader, clock } = options;
    const at = clock.wall();
    const configured = reader.installationId;
    known.readAgainAtStart(configured);
    const due = await dueAtStart({ ...options, configured, checkpoint: lease.checkpoint, at });
    // If this run is killed after it named the new log, the next one must plan every installation too.
    if (newLog !== undefined && lease.checkpoint !== null) await lease.renew({ checkpoint: null });
    return new Publisher(options, lease, due);
  }

  /**
   * The instant of the next cycle: `now`, but never before the last published instant (docs/spec/publishing.md#clocks). Throws
   * `Failure` clock_moved.
   */
  instant(now: number): number {
    this.#lease.checkClock();
    return notBefore(Number(this.#options.known.rows.meta("at") ?? 0), now);
  }

  /** The sources at the end of the last cycle. */
  get sources(): PublicRecord["sources"] {
    return this.#status.sources;
  }

  /** The last cycle's report; undefined before the first. */
  get last(): CycleReport | undefined {
    return this.#last;
  }

  /** The next instant (epoch ms) at which something changes without new input. */
  nextDue(): number | undefined {
    const { reader, known } = this.#options;
    const chain = this.#last === undefined ? undefined : reader.nextChange(this.#last.at);
    return earlier(earlier(this.#due.next(), doubtEndsAt(known)), chain);
  }

  /** True if a cycle at this instant would have nothing to do. Takes microseconds and makes no request. */
  isIdle(at: number): boolean {
    if (this.#last === undefined || this.#options.reader.hasChanged()) return false;
    const retryAt = isWhole(this.#last) ? Number.POSITIVE_INFINITY : this.#last.at + RETRY_AFTER_MS;
    return Math.min(this.nextDue() ?? Number.POSITIVE_INFINITY, retryAt) > at;
  }

  /** Throws what stops the whole cycle. `at` in epoch ms. */
  async cycle(at: number): Promise<CycleReport> {
    const { force } = this.#options;
    const report = await this.#run(at, force);
    return force ? this.#checkTiles(report) : report;
  }

  /** Objects that were checked for damage. */
  get scrubbed(): number {
    return this.#scrubbed;
  }

  /**
   * If due, checks the object that was checked longest ago, and after each renewal of the lease the objects that many responses
   * need. The next cycle rewrites a damaged one. `at` in epoch ms. Throws the store's own errors.
   */
  async scrubIfDue(at: number): Promise<void> {
    const { clock, scrubInterval } = this.#options;
    if (scrubInterval === 0 || this.#last === undefined) return;
    const renewal = this.#lease.lastWrite;
    const now = clock.monotonic();
    const isRenewed = renewal !== this.#checkedAfter;
    const isDue = now - this.#scrubbedAt >= scrubInterval;
    if (!isRenewed && !isDue) return;
    const scrubbing = this.#cycleAt(at, false);
    if (isRenewed) await this.#scrub.checkShared(scrubbing);
    this.#checkedAfter = renewal;
    if (!isDue) return;
    await this.#scrub.step(scrubbing);
    // After a failure a check is still due.
    this.#scrubbedAt = now;
    this.#scrubbed++;
  }

  /** Reads every tile, then rewrites the wrong ones with a second cycle. */
  async #checkTiles(report: CycleReport): Promise<CycleReport> {
    const { at } = report;
    await checkTiles(this.#cycleAt(at, false));
    const second = await this.#run(at, false);
    const before = new Set(report.rows.filter(({ action }) => action !== "unchanged").map(({ key }) => key));
    const rows = second.rows.filter(({ key, action }) => !before.has(key) && action !== "unchanged");
    const all = [...report.rows.filter(({ key }) => !rows.some((row) => row.key === key)), ...rows];
    this.#last = { ...second, rows: all.toSorted((a, b) => (a.key < b.key ? -1 : 1)) };
    return this.#last;
  }

  #cycleAt(at: number, force: boolean): Cycle {
    const { reader, site } = this.#options;
    return {
      ...this.#options,
      at,
      force,
      configured: reader.installationId,
      due: this.#due,
      sources: reader.begin(at),
      fence: this.#lease,
      hasSite: site !== undefined,
      logTurns: new Turns(),
      rows: [],
    };
  }

  async #run(at: number, force: boolean): Promise<CycleReport> {
    const { reader, known } = this.#options;
    const replaced = reader.reopenReplaced();
    // Versions of derived data begin again in a new file, so an equal version does not mean equal data.
    if (replaced.ledger || replaced.projections) this.#due.forget();
    const version = reader.version();
    const report = await this.#reported(this.#cycleAt(at, force));
    known.rows.setMeta("at", String(at));
    known.rows.setMeta("epoch", String(this.#lease.epoch));
    reader.acknowledge(version);
    this.#last = report;
    return report;
  }

  async #reported(cycle: Cycle): Promise<CycleReport> {
    try {
      this.#status.cycleBegins(cycle.sources);
      const report = await runCycle(cycle);
      this.#status.cycleEnded(cycle.sources, report);
      return report;
    } catch (error) {
      this.#status.cycleFailed(error);
      throw error;
    }
  }

  /** Saves the state, renews the lease and writes the private status, each if due. */
  async renewIfDue(nextCycleAt: number | undefined): Promise<void> {
    const { known, reader, clock } = this.#options;
    this.#lease.checkClock();
    known.rows.saveIfDue(clock.monotonic());
    reader.saveIfDue(clock.monotonic());
    if (this.#lease.renewalDue) await this.#lease.renew(this.#statusUpdate(nextCycleAt));
    if (this.#status.isPrivateStatusDue) await this.#status.writePrivateStatus(this.#last);
  }

  /** Releases the lease. The status then has `cause`, if a failure ended this publisher. */
  async release(cause?: unknown): Promise<void> {
    if (cause instanceof Failure) this.#status.endedBy(cause);
    try {
      await this.#status.writePrivateStatus(this.#last);
    } catch (error) {
      // The release must not wait for the private status, which is not put after the clock has moved.
      const isExpected = error instanceof StoreUnavailable || isClockFailure(error);
      if (!isExpected && cause === undefined) throw error;
    }
    try {
      await this.#lease.release({ ...this.#statusUpdate(undefined), ...this.#lastCycleOf(cause) });
    } finally {
      this.#options.known.rows.setMeta("lease", this.#lease.lastWrite);
    }
  }

  /** Restores the last cycle of a lost record, so that the next start finds the clock behind before it takes the lease. */
  #lastCycleOf(cause: unknown): StatusUpdate {
    if (!(cause instanceof Failure && cause.code === "clock_behind")) return {};
    let newestAt = Number.NEGATIVE_INFINITY;
    for (const { sourceVersion } of this.#options.known.objects.all()) newestAt = Math.max(newestAt, sourceVersion.at);
    return Number.isFinite(newestAt) ? { lastCycleAt: formatTimestamp(newestAt) } : {};
  }

  #statusUpdate(nextCycleAt: number | undefined): StatusUpdate {
    const update = this.#status.statusUpdate(this.#last, nextCycleAt);
    if (this.#last === undefined) return update;
    return {
      ...update,
      checkpoint: checkpointOf(
        { ...this.#options, configured: this.#options.reader.installationId, due: this.#due },
        this.#lease.checkpoint,
      ),
    };
  }
}

function isWhole({ rows }: CycleReport): boolean {
  return rows.every(({ action }) => action !== "failed");
}
