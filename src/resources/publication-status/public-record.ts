/**
 * The publisher's public report in the lease object (docs/spec/people.md#status-json). The shim adds the clock. The operator's
 * data are not in it.
 */

export interface PublicRecord {
  /** The configured installation. */
  readonly installationId: string;
  /** By URL path with query. */
  readonly answers: Readonly<Record<string, PublicAnswer>>;
  readonly sources: {
    readonly ledger: {
      readonly status: "followed" | "none" | "unreadable" | "behind";
      readonly newestReceiptAt: string | null;
    };
    readonly chain: {
      readonly status: "followed" | "disabled" | "silent" | "mismatch" | "behind";
      readonly indexedThroughBlock: string | null;
      readonly safeThroughBlock: string | null;
      readonly lastGoodPassAt: string | null;
    };
  };
  /** The base of `/tx/…`, `/address/…` and `/block/…`. */
  readonly explorer: string | null;
}

export interface PublicAnswer {
  readonly asOf: string;
  /** The HTTP status. */
  readonly status: number;
  readonly nextChangeAt: string | null;
}

/** The fields of the lease object that the status needs. */
export interface LeaseFacts {
  readonly ttlMs: number;
  readonly renewedAt: string;
  readonly released: boolean;
  readonly lastCycleAt: string | null;
  readonly nextCycleAt: string | null;
  /** Null or absent if the site is turned off, or if an earlier version of the publisher wrote it. */
  readonly public?: PublicRecord | null;
}

/** A publisher whose lease was not renewed for so long (ms) counts as stopped. */
const STOPPED_AFTER_MS = 60_000;

export type PublisherState = "live" | "late" | "stopped";

/** `now` in epoch ms. */
export function publisherState({ released, renewedAt, ttlMs }: LeaseFacts, now: number): PublisherState {
  const age = now - Date.parse(renewedAt);
  if (released || age >= STOPPED_AFTER_MS) return "stopped";
  return age >= ttlMs ? "late" : "live";
}
