/** A publisher's status: the public part goes into the lease object, the rest into `private/status.json`. */
import { FIRST_LOG, INSTALLATIONS_LIMIT } from "../../src/http/installations.ts";
import { loggedPosition } from "../../src/ledger/intake/stream-position.ts";
import { contains } from "../../src/ledger/log.ts";
import { lastInstallationRowId } from "../../src/ledger/watermarks.ts";
import type { Signer } from "../../src/log/signer.ts";
import type { ObjectStore } from "../../src/object-store/object-store.ts";
import type { PublicRecord } from "../../src/resources/publication-status/public-record.ts";
import type { Snapshot, Snapshots } from "../../src/resources/snapshot.ts";
import { Failure } from "../../src/values/failure.ts";
import { formatTimestamp } from "../../src/values/timestamp.ts";
import type { Clock } from "../clock/clock.ts";
import type { Known } from "../known.ts";
import type { Lease, StatusUpdate } from "../lease/lease.ts";
import type { CycleReport, Problems } from "../report.ts";
import type { SourceReader } from "../sources/source-reader.ts";
import { type HintOf, operatorReport, PrivateStatusWriter, type PublishedPosition } from "./private-status.ts";
import {
  deploymentHash,
  type PublishedSite,
  publicLog,
  publicReport,
  publicResponses,
  sourcesOf,
  UNKNOWN_SOURCES,
  withUnreadableLedger,
  worstInstallations,
} from "./public-status.ts";

export interface StatusOptions {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly reader: SourceReader;
  readonly known: Known;
  readonly signers: readonly Signer[];
  readonly site?: PublishedSite | undefined;
  readonly hintOf: HintOf;
}

export class PublisherStatus {
  readonly #options: StatusOptions;
  readonly #operator: PrivateStatusWriter;
  #sources = UNKNOWN_SOURCES;
  /** Count of those that the ledger has and the prefix holds. */
  #installations = 0;
  #ended: Failure | undefined;
  /** The newest position in a stream at which every fact of the ledger is published. */
  #published: PublishedPosition | undefined;
  /** A later position, until its facts are published. */
  #unpublished: PublishedPosition | undefined;
  /** True until the first position is reported, so that it need not wait for the next report. */
  #hasNewStream = false;

  constructor(options: StatusOptions, lease: Lease) {
    this.#options = options;
    this.#operator = new PrivateStatusWriter({ store: options.store, fence: lease }, options.clock, lease.holderName);
  }

  /** Notes the position in a stream whose facts this cycle is going to publish. */
  cycleBegins(sources: Snapshots): void {
    const { log = FIRST_LOG } = this.#options.known;
    this.#unpublished ??= sources.snapshot(({ ledger }) => {
      const found = ledger && loggedPosition(ledger);
      return found && { log, ...found };
    });
  }

  /** Keeps the state of the sources after a cycle. */
  cycleEnded(sources: Snapshots, report: CycleReport): void {
    const { chainValidity = 0 } = this.#options.site ?? {};
    sources.snapshot((snapshot) => {
      this.#checkPosition(snapshot);
      this.#sources = sourcesOf(snapshot, report, chainValidity);
      const { ledger } = snapshot;
      this.#installations = ledger === undefined ? 0 : Math.min(lastInstallationRowId(ledger), INSTALLATIONS_LIMIT);
    });
  }

  #checkPosition({ ledger }: Snapshot): void {
    const { known, signers } = this.#options;
    const position = this.#unpublished;
    const committed = publicLog(known, signers);
    if (position === undefined || committed === null || ledger === undefined) return;
    if (position.size > committed.size) return;
    this.#unpublished = undefined;
    // The ledger may have been replaced, or may have other facts than were published.
    if (position.log !== committed.number || !contains(ledger, position) || !contains(ledger, committed)) return;
    this.#hasNewStream ||= this.#published === undefined;
    this.#published = position;
  }

  /** The sources at the end of the last cycle. */
  get sources(): PublicRecord["sources"] {
    return this.#sources;
  }

  cycleFailed(error: unknown): void {
    if (error instanceof Failure && error.isAbout("ledger")) {
      this.#sources = withUnreadableLedger(this.#sources);
    }
  }

  /** Adds the failure that ends this publisher to its last report. */
  endedBy(failure: Failure): void {
    this.#ended = failure;
  }

  /** `last`: undefined before the first cycle; the lease then keeps the last holder's instant. */
  statusUpdate(last: CycleReport | undefined, nextCycleAt: number | undefined): StatusUpdate {
    const { known, clock } = this.#options;
    return {
      ...(last === undefined ? {} : { lastCycleAt: formatTimestamp(last.at) }),
      nextCycleAt: nextCycleAt === undefined ? null : formatTimestamp(nextCycleAt),
      report: publicReport(known, this.#withEnd(last), clock.wall(), this.#installations),
      public: this.#public(),
    };
  }

  get isPrivateStatusDue(): boolean {
    return this.#operator.isDue || this.#hasNewStream;
  }

  /** Throws the store's own errors, lease_… (75). */
  async writePrivateStatus(last: CycleReport | undefined): Promise<void> {
    const { known, reader, clock, hintOf } = this.#options;
    const now = clock.wall();
    const report = operatorReport(this.#withEnd(last), reader.describe(), worstInstallations(known, now), hintOf);
    await this.#operator.put({
      ...report,
      ...(this.#published === undefined ? {} : { stream: this.#published }),
    });
    this.#hasNewStream = false;
  }

  #withEnd(last: CycleReport | undefined): Problems | undefined {
    const ended = this.#ended;
    if (ended === undefined) return last;
    // The last report has the failure already if that cycle failed in part.
    const before = (last?.failures ?? []).filter(({ code }) => code !== ended.code);
    return { rows: last?.rows ?? [], failures: [...before, ended], warnings: last?.warnings ?? [] };
  }

  #public(): PublicRecord | null {
    const { site, known, reader, clock, signers } = this.#options;
    if (site === undefined) return null;
    const { installationId } = reader;
    return {
      installationId,
      log: publicLog(known, signers),
      deploymentHash: deploymentHash(known),
      responses: publicResponses(known, clock.wall()),
      sources: this.#sources,
    };
  }
}
