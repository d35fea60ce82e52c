/**
 * The sources of a standby (docs/spec/publishing.md#standby-ledger). It derives nothing from a ledger that does not
 * contain the published log, because it could not publish from that ledger after a takeover.
 */
import type { PublicRecord } from "../src/resources/publication-status/public-record.ts";
import type { Failure } from "../src/values/failure.ts";
import type { Clock } from "./clock/clock.ts";
import type { Head } from "./head/head.ts";
import { ledgerRegression } from "./plan/sources.ts";
import type { SourceReader } from "./sources/source-reader.ts";

/** Time between two checks (ms). */
const CHECK_EVERY_MS = 10_000;

/** A standby's last check of its ledger. */
export interface StandbyLedger {
  readonly status: PublicRecord["sources"]["ledger"]["status"];
  /** Why the ledger is refused. */
  readonly failure: Failure | undefined;
}

export class StandbySources {
  /** The result of the last check; undefined before the first. */
  ledger: StandbyLedger | undefined;
  readonly #reader: SourceReader;
  readonly #clock: Clock;
  /** Monotonic. */
  #followedAt = Number.NEGATIVE_INFINITY;

  constructor({ reader, clock }: { readonly reader: SourceReader; readonly clock: Clock }) {
    this.#reader = reader;
    this.#clock = clock;
  }

  /**
   * If due, compares the ledger with the head that was read last, and advances the projections to the chain, and to the
   * ledger if it contains the published log. Throws what reading the sources throws.
   */
  async followIfDue(head: Head | undefined): Promise<void> {
    const now = this.#clock.monotonic();
    if (head === undefined || now - this.#followedAt < CHECK_EVERY_MS) return;
    this.#reader.reopenReplaced();
    this.ledger = this.#reader.begin(this.#clock.wall()).snapshot(({ ledger }): StandbyLedger => {
      const failure = ledgerRegression(ledger, head.log);
      return { status: ledger === undefined ? "none" : failure === undefined ? "followed" : "behind", failure };
    });
    if (this.ledger.failure === undefined) await this.#reader.follow(this.#clock.wall());
    else await this.#reader.followChain(this.#clock.wall());
    this.#followedAt = now;
  }
}
