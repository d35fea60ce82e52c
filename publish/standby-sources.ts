/**
 * The sources of a standby (docs/spec/publishing.md#source-version). A standby derives nothing from a ledger that does not contain
 * the published log, because it could not publish from that ledger after a takeover.
 */
import type { ObjectStore } from "../src/object-store/object-store.ts";
import type { Publication } from "../src/resources/publication.ts";
import type { PublicRecord } from "../src/resources/publication-status/public-record.ts";
import type { ReadOnlyDatabase } from "../src/sqlite/statement.ts";
import type { Failure } from "../src/values/failure.ts";
import type { Clock } from "./clock/clock.ts";
import { Known } from "./known.ts";
import { learn } from "./learn.ts";
import type { StandbyRecord } from "./lease/standby-record.ts";
import { checkLedger } from "./plan/check.ts";
import type { SourceReader } from "./sources/source-reader.ts";
import { type HintOf, reported } from "./status/private-status.ts";
import { ledgerStatus } from "./status/public-status.ts";

/** Time between two checks (ms). Each one makes five requests. */
const CHECK_EVERY_MS = 10_000;

export interface StandbyOptions {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly reader: SourceReader;
  readonly publications: readonly Publication[];
  /** Requests in flight. */
  readonly concurrency: number;
  readonly hintOf: HintOf;
}

/** A standby's last check of its ledger. */
export interface StandbyLedger {
  readonly status: PublicRecord["sources"]["ledger"]["status"];
  /** Why the ledger is refused. */
  readonly failure: Failure | undefined;
}

export class StandbySources {
  /** The result of the last check; undefined before the first. */
  ledger: StandbyLedger | undefined;
  readonly #options: StandbyOptions;
  /** Monotonic. */
  #followedAt = Number.NEGATIVE_INFINITY;

  constructor(options: StandbyOptions) {
    this.#options = options;
  }

  /** The last check for the standby's record. */
  report(): StandbyRecord["ledger"] {
    if (this.ledger === undefined) return null;
    const { status, failure } = this.ledger;
    return { status, failure: failure === undefined ? null : reported(failure, this.#options.hintOf) };
  }

  /**
   * If due, checks the ledger, and advances the projections to the chain, and to the ledger if it contains the published log. Throws
   * `StoreUnavailable`, and what reading the sources throws.
   */
  async followIfDue(): Promise<void> {
    const { reader, clock } = this.#options;
    const now = clock.monotonic();
    if (now - this.#followedAt < CHECK_EVERY_MS) return;
    reader.reopenReplaced();
    this.ledger = await this.#checked();
    if (this.ledger.failure === undefined) await reader.follow(clock.wall());
    else await reader.followChain(clock.wall());
    this.#followedAt = now;
  }

  /** The checkpoint is read before the ledger, so that a ledger that gets facts meanwhile is not behind. */
  async #checked(): Promise<StandbyLedger> {
    const { reader, clock, store, publications, concurrency } = this.#options;
    const known = Known.inMemory();
    const learning = { store, known, concurrency };
    const planning = { known, publications, configured: reader.installationId };
    const check = (ledger: ReadOnlyDatabase | undefined) => {
      const { lookups, refused } = checkLedger(ledger, planning);
      return { lookups, ledger: { status: ledgerStatus(ledger, refused !== undefined), failure: refused } };
    };
    try {
      for (;;) {
        const { lookups, ledger } = reader.begin(clock.wall()).snapshot((snapshot) => check(snapshot.ledger));
        if (lookups.length === 0) return ledger;
        await learn(lookups, learning);
      }
    } finally {
      known.close();
    }
  }
}
