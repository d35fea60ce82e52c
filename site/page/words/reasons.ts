/** For each code of the API: one sentence with the reason, and one with what is still known. */

export interface ReasonWords {
  readonly why: string;
  /** The facts that are still known; undefined after the publisher has stopped. */
  readonly holds?: string;
}

interface Reason {
  readonly why: string;
  readonly holds: string;
  /**
   * `page`: a code of the page's own requests, which stays true after the publisher has stopped. `time`: a code that a
   * response gets as time passes if the publisher does not refresh it.
   */
  readonly cause?: "page" | "time";
}

const CHAIN_HOLDS = "Measurements continue. This does not mean that a settlement failed.";

const REASONS: Readonly<Record<string, Reason>> = {
  // Chain-backed views.
  indexer_disabled: { why: "No settlement chain is being followed.", holds: "Measured work is still counted." },
  not_yet_safe: { why: "The chain does not have a block with enough confirmations yet.", holds: CHAIN_HOLDS },
  indexer_unavailable: {
    why: "The chain's node gives no usable answer at the moment.",
    holds: CHAIN_HOLDS,
    cause: "time",
  },
  indexer_mismatch: {
    why: "The chain's data contradict the expected contracts or state, so none of them are shown.",
    holds: CHAIN_HOLDS,
  },
  source_disabled: {
    why: "No measurement source is configured for the feed.",
    holds: "Chain events are shown under All.",
  },
  // Builder and queue.
  no_measurement: {
    why: "No measurement has been accepted yet, so no block is being filled.",
    holds: "What is settled stays settled.",
  },
  counter_fault: {
    why: "The device reports a counter fault; its open work is not trusted.",
    holds: "Accepted rounds and settled blocks stay.",
  },
  counter_epoch_unapproved: {
    why: "The device counts in a new epoch that is not approved yet.",
    holds: "Accepted rounds and settled blocks stay.",
  },
  round_projection_gap: {
    why: "A round between the settled ones and the newest is missing, so the sum is not known.",
    holds: "What is settled stays settled; a gap is not zero work.",
  },
  oracle_head_unavailable: {
    why: "The settled state of the chain is currently unknown.",
    holds: "The measurement itself is not affected.",
  },
  round_ineligible: {
    why: "A waiting round may not be settled as it is.",
    holds: "What is settled stays settled.",
  },
  no_accepted_closure: { why: "The Oracle has not accepted a closed round yet.", holds: "Measurements continue." },
  // Statistics.
  completion_boundaries_unavailable: {
    why: "Their times are not recorded.",
    holds: "Their number is known.",
  },
  insufficient_history: { why: "There is not enough history yet.", holds: "It is shown as soon as there is enough." },
  projection_not_initialized: {
    why: "The Oracle's submissions are not counted yet.",
    holds: "The other figures hold.",
  },
  database_busy: {
    why: "The statistics are being computed and not published yet.",
    holds: "They are requested again.",
    cause: "time",
  },
  public_stats_rebuilding: {
    why: "The statistics are being rebuilt.",
    holds: "They are requested again; nothing is lost.",
    cause: "time",
  },
  // Errors of the page's own requests.
  not_published: { why: "This has not been published yet.", holds: "It is requested again.", cause: "page" },
  store_unavailable: {
    why: "The server cannot read what is published.",
    holds: "It is requested again.",
    cause: "page",
  },
  network: { why: "The server cannot be reached.", holds: "It is requested again.", cause: "page" },
  timeout: { why: "The server takes too long to answer.", holds: "It is requested again.", cause: "page" },
  invalid_response: { why: "The server's answer cannot be read.", holds: "It is requested again.", cause: "page" },
};

/** `stopped` is the instant at which the publisher stopped, as text; undefined while it is live. */
export function reasonWords(code: string, stopped?: string): ReasonWords {
  const { why, holds, cause } = REASONS[code] ?? unknownReason(code);
  if (stopped === undefined || cause === "page") return { why, holds };
  return {
    why: cause === "time" ? `Nothing has been published since ${stopped}.` : `${why.slice(0, -1)}, as of ${stopped}.`,
  };
}

function unknownReason(code: string): Reason {
  return { why: `It is not available (${code}).`, holds: "This says nothing about work or settlements." };
}
