/**
 * A publisher at work: it holds the state directory and the lease, and runs cycles. Opening one may end in `Failure`:
 * state_locked, lease_held (75), ledger_… and store_… (74).
 */
import { hostname } from "node:os";
import type { Database } from "better-sqlite3";
import { type ObjectStore, StoreUnavailable } from "../src/object-store/object-store.ts";
import type { ResourceName } from "../src/resources/names.ts";
import { Failure } from "../src/values/failure.ts";
import { formatTimestamp } from "../src/values/timestamp.ts";
import { FeedRecall } from "./activity/recall.ts";
import { sweepFeed } from "./activity/sweep.ts";
import { type AnswerOptions, Answers, earlier } from "./answers/answers.ts";
import type { Publication } from "./answers/publication.ts";
import type { Clock } from "./clock.ts";
import { runCycle } from "./cycle.ts";
import type { Lease, LeaseIdentity, LeaseNews } from "./lease/lease.ts";
import { Histories } from "./observations/histories.ts";
import { TilePace } from "./observations/pace.ts";
import type { CycleReport } from "./report.ts";
import type { SourceReader } from "./sources/source-reader.ts";
import type { Published } from "./state/published.ts";

export interface PublisherOptions extends AnswerOptions {
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
}

export class Publisher {
  readonly #options: PublisherOptions;
  readonly #lease: Lease;
  readonly #histories: Histories;
  readonly #answers: Answers;
  readonly #feeds: FeedRecall;
  readonly #tilePace: TilePace;
  #last: CycleReport | undefined;

  private constructor(options: PublisherOptions, lease: Lease, histories: Histories) {
    this.#options = options;
    this.#lease = lease;
    this.#histories = histories;
    this.#answers = new Answers(options.published, options);
    this.#feeds = new FeedRecall(options.store, options.published);
    this.#tilePace = new TilePace(options.floor);
  }

  /** With a lease just taken (`acquireNow`, or a standby's). */
  static async begin(options: PublisherOptions, lease: Lease): Promise<Publisher> {
    const histories = await Histories.load(options.store, options.published, options.reader.installationId);
    for (const id of options.newHistories) histories.startNew(id);
    return new Publisher(options, lease, histories);
  }

  /** `at` never goes back (design 1, 8): not before the last instant published. */
  instant(now: number): number {
    return Math.max(now, Number(this.#options.published.meta("at") ?? 0));
  }

  /** The earliest instant (epoch ms) at which something changes by time alone. */
  nextDue(): number | undefined {
    const chain = this.#last === undefined ? undefined : this.#options.reader.nextChange(this.#last.at);
    return earlier(earlier(this.#answers.nextDue(), this.#tilePace.nextDue()), chain);
  }

  /** Microseconds, and no request: whether a cycle at this instant could have anything to do. */
  isIdle(at: number): boolean {
    if (this.#last === undefined || this.#options.reader.moved()) return false;
    const retryAt = isWhole(this.#last) ? Number.POSITIVE_INFINITY : this.#last.at + RETRY_AFTER_MS;
    return Math.min(this.nextDue() ?? Number.POSITIVE_INFINITY, retryAt) > at;
  }

  async cycle(at: number): Promise<CycleReport> {
    const { reader, published } = this.#options;
    if (reader.takeReplaced()) this.#histories.ledgerReplaced();
    const standing = reader.standing();
    const { history } = this.#histories.progress(reader.installationId);
    const tilePrefix = `${history}-${this.#lease.epoch}`;
    let projections: Database | undefined;
    const report = await runCycle(
      {
        ...this.#options,
        selected: (resource) => this.#options.selected(resource),
        fence: this.#lease,
        answers: this.#answers,
        histories: this.#histories,
        feeds: this.#feeds,
        tilePace: this.#tilePace,
        read: (use) =>
          reader.read(
            at,
            (sources) => {
              projections = sources.projections;
              return use(sources);
            },
            tilePrefix,
          ),
      },
      at,
    );
    if (projections !== undefined && this.#options.selected("activity")) await this.#sweep(projections, at);
    published.setMeta("at", String(at));
    reader.settle(standing);
    this.#last = report;
    return report;
  }

  /** Deletions last: they are of no use to a reader, and what fails of them is done in a later cycle. */
  async #sweep(projections: Database, at: number): Promise<void> {
    const { store, published } = this.#options;
    try {
      await sweepFeed({ projections, store, fence: this.#lease, published }, at);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
    }
  }

  /** Writes status.json anew where its time has come. */
  async renewIfDue(nextCycleAt: number | undefined): Promise<void> {
    if (this.#lease.renewalDue) await this.#lease.renew(this.#news(nextCycleAt));
  }

  /** Ends the publisher's hold; the store then says so. */
  async release(): Promise<void> {
    await this.#lease.release(this.#news(undefined));
  }

  #news(nextCycleAt: number | undefined): LeaseNews {
    return {
      lastCycleAt: this.#last === undefined ? null : formatTimestamp(this.#last.at),
      nextCycleAt: nextCycleAt === undefined ? null : formatTimestamp(nextCycleAt),
      report: this.#report(),
    };
  }

  /** What `noonmark status` shows of each resource and source. */
  #report(): Record<string, unknown> {
    const objects = [...this.#options.published.all()].map(({ key, asof, status, states, etag }) => {
      const next = states[1]?.from;
      const nextChangeAt = next === undefined ? null : formatTimestamp(next);
      return [key, { at: formatTimestamp(asof.at), status, etag, nextChangeAt }];
    });
    const failed = this.#last?.rows.filter(({ action }) => action === "failed").map(({ key, why }) => ({ key, why }));
    return {
      resources: Object.fromEntries(objects),
      failed: failed ?? [],
      failures: this.#last?.failures ?? [],
      sources: this.#options.reader.describe(),
    };
  }
}

/** What could not be published is tried again although nothing has moved. */
const RETRY_AFTER_MS = 5_000;

function isWhole({ rows }: CycleReport): boolean {
  return rows.every(({ action }) => action !== "failed");
}

/** A new identity for each process: epochs and tokens are never used twice. */
export function leaseIdentity(): LeaseIdentity {
  return { holder: crypto.randomUUID(), holderName: `${hostname()} process ${process.pid}` };
}

/** `--at`: an instant before what was published would take answers back. */
export function explicitInstant(at: number, published: Published, force: boolean): number {
  const last = Number(published.meta("at") ?? 0);
  if (at < last && !force) {
    throw new Failure("at_before_published", `--at is before ${formatTimestamp(last)}, the last instant published`, {
      exit: 1,
      hint: "Answers never go back in time; --force puts them as of that instant all the same.",
    });
  }
  return at;
}
