/** Each operation in words; the rules between fields are those that its schema cannot say. */
import type { NamedRow } from "../resources/table.ts";

export interface Words {
  readonly tag: "Measurement" | "Chain" | "Files";
  readonly summary: string;
  readonly says: string;
  /** Each ends with its place in the specification. */
  readonly rules: readonly string[];
}

const TELEMETRY_RULES = [
  "status is the age of the receipt alone: online up to and including 120 s, then stale; offline while no measurement was ever accepted. docs/spec/api.md#telemetry 2",
  "Offline, every field but schemaVersion, installationId and status is null; an unknown id is offline, with 200. docs/spec/api.md#telemetry 3",
  "The revision names the receipt and not its age. docs/spec/api.md#telemetry 4",
];

const SETTLEMENT_RULES = [
  "archivedSettlementCount is settlementCount minus the number of recentSettlements. docs/spec/api.md#settlements-rules 1",
  "The buckets fill the window and add up to summary; window is null and buckets empty for now. docs/spec/api.md#settlements-rules 2",
  "Settlements are newest first, inside the window, at or below the safe block. docs/spec/api.md#settlements-rules 3",
  "Each batch advances its frontier; completed blocks end at blockHeight, and their bounds are null exactly when the count is 0. docs/spec/api.md#settlements-rules 4",
  "Neighbours continue each other in rounds, work and blocks. docs/spec/api.md#settlements-rules 5",
];

/** The page, the reference and what they load are for people, and no operations. */
export const WORDS: Readonly<Partial<Record<NamedRow["name"], Words>>> = {
  telemetry: {
    tag: "Measurement",
    summary: "The newest accepted measurement",
    says: "Of the configured installation.",
    rules: TELEMETRY_RULES,
  },
  "installation-telemetry": {
    tag: "Measurement",
    summary: "The newest accepted measurement of an installation",
    says: "Of any installation by its id.",
    rules: TELEMETRY_RULES,
  },
  modules: {
    tag: "Measurement",
    summary: "Health of the modules",
    says: "The newest stored snapshot of each module. An empty list says that none is stored.",
    rules: [
      "Ordered by instanceId. docs/spec/api.md#modules 1",
      "State is not aged: a stored ready says nothing of the connection now. docs/spec/api.md#modules 3",
    ],
  },
  observations: {
    tag: "Measurement",
    summary: "History of accepted receipts",
    says: "In the order of their positions, a page at a time.",
    rules: [
      "A cursor is exclusive: the page begins after it. docs/spec/api.md#observations 1",
      "nextCursor is the last item's cursor if another item exists, else null; null does not promise that nothing will come. docs/spec/api.md#observations 4",
    ],
  },
  process: {
    tag: "Measurement",
    summary: "Measured, accepted, optimistic and queued work, apart",
    says: "A body that differs by generatedAt alone keeps its revision and gives 304.",
    rules: [
      "workPerBlock is positive and currentWork is below it. docs/spec/api.md#process-rules 1",
      "firstCompletedBlock and lastCompletedBlock exist exactly when completedBlockCount is not zero, and end at the projected blockHeight. docs/spec/api.md#process-rules 2",
      "roundCount of latestClosure and of buffered is the span of the inclusive bounds. docs/spec/api.md#process-rules 3",
      "roundCount of a submission is settledThroughRound minus previousSettledThroughRound; activeRoundCount is at most that and at most 16. docs/spec/api.md#process-rules 4",
      "latestAcceptedAt is null exactly when the Oracle is unavailable; accepted and stale have no reason, blocked and unavailable have one. docs/spec/api.md#process-rules 5",
      "The queue is blocked exactly when blockedReason is not null; empty has no buffered round, ready has at least one. docs/spec/api.md#process-rules 6",
      "Timestamps and outcomeCode of a submission follow its lifecycle. docs/spec/api.md#process-rules 7",
    ],
  },
  statistics: {
    tag: "Measurement",
    summary: "Statistics over 7 or 30 universal days",
    says: "A universal day runs from noon UTC to noon. range is required, exactly once.",
    rules: [
      "dayCount and the number of days are 7 for 7d and 30 for 30d. docs/spec/api.md#statistics-rules 1",
      "Days are consecutive; the last contains generatedAt, which is window.endAt. docs/spec/api.md#statistics-rules 2",
      "Buckets stand in the order of the UTC clock. docs/spec/api.md#statistics-rules 3",
      "Totals are sums of days, and days sums of their buckets. docs/spec/api.md#statistics-rules 4",
      "coverageBps is the floor of observed / expected × 10000; complete exactly at 10000. docs/spec/api.md#statistics-rules 5",
      "An inactive day is wholly observed and without work, never one with missing rounds. docs/spec/api.md#statistics-rules 6",
      "Means of typicalDay are over complete buckets; names in Milli are scaled by 1000. docs/spec/api.md#statistics-rules 7",
      "activeCount + zeroWorkCount = observedCount; missingCount = expected − observed. docs/spec/api.md#statistics-rules 8",
      "Lifetime totals are not below those of the range. docs/spec/api.md#statistics-rules 9",
      "Terminal outcomes are at most submissionCount, the denominator of both rates; a p90 is not below its median. docs/spec/api.md#statistics-rules 10",
      "Missing activity shows in coverage and null aggregates, never as zero work. docs/spec/api.md#statistics-rules 11",
    ],
  },
  onchain: {
    tag: "Chain",
    summary: "The settlement contract's state at a safe height",
    says: "With at most 25 recent events, newest first. It has no generatedAt.",
    rules: [
      "safeThroughBlock = indexedThroughBlock − 11; events lie between the deployment and it, unique and ordered. docs/spec/api.md#onchain 2",
      "Each event's address is the deployment's of its kind; the proxy's identities agree. docs/spec/api.md#onchain 3",
      "blockHeight and currentWork are quotient and remainder of cumulativeWork by workPerBlock; source is the newest event of kind core. docs/spec/api.md#onchain 4",
    ],
  },
  settlements: {
    tag: "Chain",
    summary: "History of settlement batches",
    says: "With the state of each batch's reward mint; now means the totals of all time.",
    rules: [
      ...SETTLEMENT_RULES,
      "Mints are confirmed from the oldest on; a pending amount is a projection. docs/spec/api.md#settlements-rules 6",
      "queueProjection stands with queue=1 only, and is left out where there is none; it starts at the safe frontier. docs/spec/api.md#settlements-rules 7",
    ],
  },
  activity: {
    tag: "Chain",
    summary: "Feed of settlements, players and milestones",
    says: "Newest first. A cursor is good for the category it came from.",
    rules: [
      "Types are unique; each event's type is active and of the category. docs/spec/api.md#activity-types 2",
      "Chain events match the body's chain, release and contracts, and lie at or below the safe block. docs/spec/api.md#activity-types 6",
      "measurement.rpm_record is in the schema and is never served. docs/spec/api.md#activity-types 1",
      "Order is by occurredAt, at one instant chain events first. docs/spec/api.md#activity-order 1",
    ],
  },
  "settlements-legacy": {
    tag: "Chain",
    summary: "History of settlement batches, work only",
    says: "As the current version, without economy, mint and queue projection.",
    rules: SETTLEMENT_RULES,
  },
  openapi: { tag: "Files", summary: "This document", says: "docs/spec/people.md#openapi", rules: [] },
  "feed-json": {
    tag: "Files",
    summary: "Newest settlements and milestones as JSON Feed 1.1",
    says: "The newest 50. docs/spec/people.md#files 7",
    rules: [],
  },
  "feed-atom": {
    tag: "Files",
    summary: "Newest settlements and milestones as Atom",
    says: "The same entries under the same ids. docs/spec/people.md#files 7",
    rules: [],
  },
  badge: {
    tag: "Files",
    summary: "The telemetry's status for badge services",
    says: "docs/spec/people.md#files 6",
    rules: [],
  },
  "publication-status": {
    tag: "Files",
    summary: "How the publication is",
    says: "Publisher, answers and sources as a stranger may see them. docs/spec/people.md#status-json",
    rules: [],
  },
};
