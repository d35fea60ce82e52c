/** What a publisher tells of itself: in the lease object to everybody, in `private/status.json` to its operator. */

import { lastInstallationNo } from "../../src/ledger/watermarks.ts";
import type { ObjectStore } from "../../src/object-store/object-store.ts";
import type { PublicRecord } from "../../src/resources/publication-status/public-record.ts";
import type { Snapshots } from "../../src/resources/snapshot.ts";
import { Failure } from "../../src/values/failure.ts";
import { formatTimestamp } from "../../src/values/timestamp.ts";
import type { Clock } from "../clock/clock.ts";
import type { Known } from "../known.ts";
import type { Lease, LeaseNews } from "../lease/lease.ts";
import { type CycleReport, type Problems, type ReportFailure, reportFailure } from "../report.ts";
import {
  NOTHING_SEEN,
  type PublishedSite,
  publicAnswers,
  sourcesOf,
  withUnreadableLedger,
} from "../site/public-record.ts";
import type { SourceReader } from "../sources/source-reader.ts";
import { operatorReport } from "./operator-report.ts";
import { PrivateStatusWriter } from "./private-status-writer.ts";
import { publicReport, worstInstallations } from "./public-report.ts";
import type { RequestTally } from "./request-tally.ts";

export interface StatusOptions {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly reader: SourceReader;
  readonly known: Known;
  readonly site?: PublishedSite | undefined;
  readonly requests?: RequestTally | undefined;
}

export class PublisherStatus {
  readonly #options: StatusOptions;
  readonly #operator: PrivateStatusWriter;
  #sources = NOTHING_SEEN;
  /** That the ledger knows. */
  #installations = 0;
  #ended: ReportFailure | undefined;

  constructor(options: StatusOptions, lease: Lease) {
    this.#options = options;
    this.#operator = new PrivateStatusWriter({ store: options.store, fence: lease }, options.clock, lease.holderName);
  }

  /** The sources as a cycle has seen them. */
  saw(sources: Snapshots, report: CycleReport): void {
    const { chainValidity = 0 } = this.#options.site ?? {};
    sources.snapshot((snapshot) => {
      this.#sources = sourcesOf(snapshot, report, chainValidity);
      this.#installations = snapshot.ledger === undefined ? 0 : lastInstallationNo(snapshot.ledger);
    });
  }

  /** As the last cycle has seen them. */
  get sources(): PublicRecord["sources"] {
    return this.#sources;
  }

  /** What a cycle ended with. */
  failed(error: unknown): void {
    if (error instanceof Failure && error.code.startsWith("ledger_")) {
      this.#sources = withUnreadableLedger(this.#sources);
    }
  }

  /** The failure that ends this publisher, for its last report. */
  endedBy(failure: Failure): void {
    this.#ended = reportFailure(failure);
  }

  /** `last`: undefined before the first cycle; the lease then goes on saying when the last holder's was. */
  news(last: CycleReport | undefined, nextCycleAt: number | undefined): LeaseNews {
    const { known, clock } = this.#options;
    return {
      ...(last === undefined ? {} : { lastCycleAt: formatTimestamp(last.at) }),
      nextCycleAt: nextCycleAt === undefined ? null : formatTimestamp(nextCycleAt),
      report: publicReport(known, this.#withEnd(last), clock.wall(), this.#installations),
      public: this.#public(),
    };
  }

  get isOperatorDue(): boolean {
    return this.#operator.isDue;
  }

  /** Put where there is something new. Throws the store's own errors, lease_… (75). */
  async tellOperator(last: CycleReport | undefined): Promise<void> {
    const { known, reader, clock, requests } = this.#options;
    const now = clock.wall();
    const report = operatorReport(this.#withEnd(last), reader.describe(), worstInstallations(known, now));
    await this.#operator.put(requests === undefined ? report : { ...report, requests: requests.report(now) });
  }

  #withEnd(last: CycleReport | undefined): Problems | undefined {
    const ended = this.#ended;
    if (ended === undefined) return last;
    // A cycle that failed as a whole has put nothing into the last report; one that failed in part has.
    const before = (last?.failures ?? []).filter(({ code }) => code !== ended.code);
    return { rows: last?.rows ?? [], failures: [...before, ended], warnings: last?.warnings ?? [] };
  }

  #public(): PublicRecord | null {
    const { site, known, reader, clock } = this.#options;
    if (site === undefined) return null;
    const { installationId } = reader;
    const answers = publicAnswers(known, clock.wall());
    return { installationId, answers, sources: this.#sources, explorer: site.explorerUrl ?? null };
  }
}
