/**
 * The publisher's public report in the lease object (docs/spec/people.md#status-json). The shim adds the clock. It
 * contains no data for the operator.
 */

/** The states of the ledger and of the chain in the last cycle. */
export const LEDGER_STATES = ["followed", "none", "unreadable", "behind"] as const;
export const CHAIN_STATES = ["followed", "disabled", "silent", "mismatch", "behind"] as const;

export interface PublicRecord {
  /** The configured installation. */
  readonly installationId: string;
  /** Responses by URL path with query. */
  readonly answers: Readonly<Record<string, PublicAnswer>>;
  readonly sources: {
    readonly ledger: {
      readonly status: (typeof LEDGER_STATES)[number];
      readonly newestReceiptAt: string | null;
    };
    readonly chain: {
      readonly status: (typeof CHAIN_STATES)[number];
      readonly indexedThroughBlock: string | null;
      readonly safeThroughBlock: string | null;
      readonly lastGoodPassAt: string | null;
    };
  };
  /** The base URL of `/tx/…`, `/address/…` and `/block/…`. */
  readonly explorer: string | null;
}

export interface PublicAnswer {
  readonly asOf: string;
  /** The HTTP status. */
  readonly status: number;
  readonly nextChangeAt: string | null;
}

/** The fields of the lease object that the public status uses. */
export interface LeaseFacts {
  readonly ttlMs: number;
  readonly renewedAt: string;
  readonly released: boolean;
  readonly lastCycleAt: string | null;
  readonly nextCycleAt: string | null;
  /** Null or absent if the site is disabled, or if an earlier publisher version wrote the lease. */
  readonly public?: PublicRecord | null;
}

/** A publisher is `stopped` if its lease has not been renewed for this long (ms). */
const STOPPED_AFTER_MS = 60_000;

/** live: renewed within the TTL; late: not renewed within it; stopped: released, or not renewed for a minute. */
export const PUBLISHER_STATES = ["live", "late", "stopped"] as const;
export type PublisherState = (typeof PUBLISHER_STATES)[number];

/** `now` is in epoch ms. */
export function publisherState({ released, renewedAt, ttlMs }: LeaseFacts, now: number): PublisherState {
  const age = now - Date.parse(renewedAt);
  if (released || age >= STOPPED_AFTER_MS) return "stopped";
  return age >= ttlMs ? "late" : "live";
}
