/**
 * The publisher's public report in the lease object (docs/spec/people.md#status-json). The shim adds the clock. It
 * contains no data for the operator.
 */

/** The states of the ledger and of the chain in the last cycle; unknown before a publisher's first one. */
export const LEDGER_STATES = ["followed", "none", "unreadable", "behind", "unknown"] as const;
export const CHAIN_STATES = ["followed", "disabled", "silent", "mismatch", "behind", "unknown"] as const;

export interface PublicRecord {
  /** The configured installation. */
  readonly installationId: string;
  /** The committed log; null before its first checkpoint. */
  readonly log: PublicLog | null;
  /** SHA-256 of `/deployment.json` in hexadecimal digits; null if it is not published. */
  readonly deploymentHash: string | null;
  /** Responses by URL path with query. */
  readonly responses: Readonly<Record<string, PublicResponse>>;
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
}

export const UNKNOWN_SOURCES: PublicRecord["sources"] = {
  ledger: { status: "unknown", newestReceiptAt: null },
  chain: { status: "unknown", indexedThroughBlock: null, safeThroughBlock: null, lastGoodPassAt: null },
};

export interface PublicLog {
  readonly number: number;
  readonly size: number;
  /** In base64. */
  readonly root: string;
  /** The first line of its checkpoints; null if the log is not public. */
  readonly origin: string | null;
  /** The keys that sign it, as `NAME+ID+DATA` (docs/spec/log.md#key); none if the log is not public. */
  readonly verifierKey: readonly string[];
}

export interface PublicResponse {
  readonly asOf: string;
  /** The HTTP status. */
  readonly status: number;
  readonly nextChangeAt: string | null;
  readonly etag: string | null;
  /** Entries of the log from which it was computed; null if it does not depend on facts. */
  readonly logSize: number | null;
  /** The block of the chain at which it was computed; null if it does not depend on the chain. */
  readonly safeBlock: { readonly number: string; readonly hash: string } | null;
  /** The version of the program that built it. */
  readonly program: string;
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
