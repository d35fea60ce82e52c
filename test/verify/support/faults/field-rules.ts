/** The rules between a body's fields, each broken: of process, statistics, settlements, onchain and activity. */
import type { RouteName } from "../../../../src/resources/table.ts";
import {
  type Any,
  add,
  all,
  copy,
  type Edit,
  edit,
  isAt,
  merge,
  type Planted,
  planter,
  queryOf,
  reversed,
  set,
  type When,
} from "./plant.ts";

const HASH = `0x${"ab".repeat(32)}`;
const ADDRESS = `0x${"12".repeat(20)}`;

const PROCESS: Readonly<Record<string, Edit>> = {
  "workPerBlock 0": set("builder.anchor.workPerBlock", "0"),
  "currentWork not below workPerBlock": copy("builder.anchor.currentWork", "builder.anchor.workPerBlock"),
  "projected currentWork not below": copy("builder.projected.currentWork", "builder.projected.workPerBlock"),
  "completed blocks without bounds": merge("builder.projected", {
    firstCompletedBlock: null,
    lastCompletedBlock: null,
    completedBlockCount: "1",
  }),
  "bounds without completed blocks": merge("builder.projected", {
    firstCompletedBlock: "1",
    lastCompletedBlock: "1",
    completedBlockCount: "0",
  }),
  "suffix not at blockHeight": add("builder.projected.blockHeight"),
  "builder projects closed work alone": add("builder.queued.openRoundWorkUnits"),
  "builder projects other work": add("builder.projected.cumulativeWork"),
  "queue projects other work": add("settlementQueue.projected.cumulativeWork"),
  "buffered elsewhere": all(
    add("settlementQueue.buffered.firstRound", 2n),
    add("settlementQueue.buffered.lastRound", 2n),
  ),
  "closure's count": add("oracle.latestClosure.roundCount"),
  "buffered count": add("settlementQueue.buffered.roundCount"),
  "more active than buffered": copy(
    "settlementQueue.buffered.activeRoundCount",
    "settlementQueue.buffered.roundCount",
    1n,
  ),
  "submission's count": add("settlementQueue.latestSubmission.roundCount"),
  "17 active rounds": set("settlementQueue.latestSubmission.activeRoundCount", "17"),
  "submitted without submittedAt": set("settlementQueue.latestSubmission.submittedAt", null),
  "terminalAt before the end": copy("settlementQueue.latestSubmission.terminalAt", "generatedAt"),
  "confirmedAt before the end": copy("settlementQueue.latestSubmission.confirmedAt", "generatedAt"),
  "an outcome before the end": set("settlementQueue.latestSubmission.outcomeCode", "reverted"),
  "oracle accepted with a reason": merge("oracle", { state: "accepted", reason: "why" }),
  "oracle blocked without a reason": merge("oracle", { state: "blocked", reason: null }),
  "oracle unavailable with a time": merge("oracle", { state: "unavailable", reason: "no_accepted_closure" }),
  "oracle accepted without a time": set("oracle.latestAcceptedAt", null),
  "blocked without a reason": set("settlementQueue.state", "blocked"),
  "a reason without being blocked": set("settlementQueue.blockedReason", "incident"),
  "empty with buffered rounds": merge("settlementQueue", {
    state: "empty",
    buffered: { firstRound: "1", lastRound: "1", roundCount: "1", activeRoundCount: "0", workUnits: "0" },
  }),
  "ready without buffered rounds": merge("settlementQueue", {
    state: "ready",
    buffered: { firstRound: null, lastRound: null, roundCount: "0", activeRoundCount: "0", workUnits: "0" },
  }),
};

const STATISTICS: Readonly<Record<string, Edit>> = {
  "dayCount of the other range": edit("window.dayCount", (days) => (days === 7 ? 30 : 7)),
  "a day too few": (b) => b.activity.days.shift(),
  "days not consecutive": set("activity.days.-2.date", "2020-01-01"),
  "window from elsewhere": set("window.startAt", "2026-01-01T12:00:00.000Z"),
  "window past generatedAt": set("window.endAt", "2026-12-01T12:00:00.000Z"),
  "buckets out of order": reversed("activity.days.-2.buckets"),
  "a day's work": add("activity.days.-2.observedWorkUnits"),
  "a day's rounds": set("activity.days.-2.coverage.observedRoundCount", 1),
  "the range's work": add("activity.summary.observedWorkUnits"),
  "the range's distance": add("activity.summary.observedDistanceMm"),
  "the range's expected rounds": add("activity.coverage.expectedRoundCount", -1n),
  "the range's observed rounds": add("activity.coverage.observedRoundCount", -1n),
  "active days": add("activity.summary.activeDayCount"),
  "inactive days": add("activity.summary.inactiveDayCount"),
  "coverage bps": add("activity.coverage.coverageBps"),
  "a day's coverage bps": edit("activity.days.-2.coverage.coverageBps", (was) => (was === 0 ? 1 : 0)),
  "complete while it is not": edit("activity.coverage.complete", (was) => !was),
  "typical total": add("activity.typicalDay.20.totalWorkUnits"),
  "typical days": add("activity.typicalDay.20.observedDayCount"),
  "typical mean": set("activity.typicalDay.20.meanWorkMilli", "123456789"),
  "mean of active days": set("activity.summary.averageWorkPerActiveDayMilli", "1"),
  "mean of active rounds": set("rounds.averageActiveWorkMilli", "1"),
  "rounds do not add up": add("rounds.zeroWorkCount"),
  "missing rounds": add("rounds.missingCount"),
  "active rate": edit("rounds.activeRateBps", (was) => (was === 0 ? 1 : 0)),
  "lifetime below the range": set("lifetime.acceptedWorkUnits", "0"),
  "lifetime distance below": set("lifetime.observedDistanceMm", "0"),
  "lifetime days below": set("lifetime.activeDayCount", 0),
  "more outcomes than submissions": copy("oracle.confirmedCount", "oracle.submissionCount", 1n),
  "confirmation rate": edit("oracle.confirmationRateBps", (was) => (was === 1 ? 2 : 1)),
  "revert rate": set("oracle.revertRateBps", 9_999),
  "complete for the window": edit("oracle.completeForWindow", (was) => !was),
  "p90 below the median": set("rounds.p90ActiveWork", "0"),
  "submit p90 below p50": merge("oracle", { submitP50Ms: 10, submitP90Ms: 9 }),
  "finality p90 without p50": merge("oracle", { finalityP50Ms: null, finalityP90Ms: 9 }),
  "no median where there is work": set("activity.summary.medianWorkPerActiveDay", null),
  "no best day where there is work": set("activity.summary.mostActiveDate", null),
  "best day without its work": set("activity.summary.mostActiveDateWorkUnits", null),
  "complete bucket of two rounds": merge("activity.days.-2.buckets.5", {
    coverage: "complete",
    observedRoundCount: 2,
    workUnits: "0",
  }),
  "partial bucket without work": merge("activity.days.-2.buckets.5", {
    coverage: "partial",
    observedRoundCount: 1,
    workUnits: null,
  }),
  "missing bucket with work": merge("activity.days.-2.buckets.5", {
    coverage: "missing",
    observedRoundCount: 0,
    workUnits: "0",
  }),
  "future bucket with a round": merge("activity.days.-2.buckets.5", {
    coverage: "future",
    observedRoundCount: 1,
    workUnits: null,
  }),
};

const HISTORY: Readonly<Record<string, Edit>> = {
  "safe block not 11 below": add("chain.safeThroughBlock"),
  "deployed above the safe block": copy("chain.deploymentBlock", "chain.indexedThroughBlock", 1n),
  "11 confirmations": set("chain.confirmations", "11"),
  "archived count": add("summary.archivedSettlementCount"),
  "recent beyond the summary": set("summary.workAdded", "0"),
  "oldest first": reversed("recentSettlements"),
  "above the safe block": copy("recentSettlements.0.ethereumBlockNumber", "chain.safeThroughBlock", 1n),
  "a batch that does not advance": copy(
    "recentSettlements.0.previousSettledThroughRound",
    "recentSettlements.0.settledThroughRound",
  ),
  "blocks that do not end at the height": add("recentSettlements.0.blockHeight"),
  "bounds of no block": merge("recentSettlements.0", { completedBlockCount: "0", firstCompletedBlock: "1" }),
  "work that does not go on": add("recentSettlements.1.cumulativeWork"),
  "frontiers that do not go on": add("recentSettlements.1.settledThroughRound"),
};
const WINDOWED: Readonly<Record<string, Edit>> = {
  "a bucket too few": (b) => b.buckets.pop(),
  "bucket totals": add("buckets.0.workAdded"),
  "buckets with a gap": copy("buckets.3.startAt", "buckets.4.startAt"),
  "another bucket length": edit("window.bucketSeconds", (seconds) => seconds * 2),
  "a window that ends too early": copy("window.endAt", "generatedAt"),
  "no window": set("window", null),
};
const LIFETIME: Readonly<Record<string, Edit>> = {
  "a window": (b) => (b.window = { startAt: b.generatedAt, endAt: b.generatedAt, bucketSeconds: 3600 }),
  "a bucket": (b) =>
    b.buckets.push({
      startAt: b.generatedAt,
      endAt: b.generatedAt,
      settlementCount: "0",
      activeRoundCount: "0",
      workAdded: "0",
      completedBlockCount: "0",
    }),
};
const V4: Readonly<Record<string, Edit>> = {
  "a mint confirmed before an older one": all(
    set("recentSettlements.0.mint.state", "confirmed"),
    set("recentSettlements.-1.mint.state", "pending"),
  ),
  "9 decimals": set("economy.decimals", 9),
};
const QUEUE: Readonly<Record<string, Edit>> = {
  "queue from elsewhere": add("queueProjection.previousSettledThroughRound"),
  "queue's height": add("queueProjection.blockHeight"),
  "queue's count": add("queueProjection.completedBlockCount"),
  "queue's state": set("queueProjection.state", "settled"),
  "a queue that is null": set("queueProjection", null),
};

const ONCHAIN: Readonly<Record<string, Edit>> = {
  "safe block not 11 below": add("chain.safeThroughBlock"),
  "another Core's event": set("events.0.contractAddress", ADDRESS),
  "admin slot": set("identities.proxyAdminSlot", ADDRESS),
  "admin owner": set("identities.proxyAdminOwner", ADDRESS),
  implementation: set("implementation.codeAddress", ADDRESS),
  "event above the safe block": copy("events.0.blockNumber", "chain.safeThroughBlock", 1n),
  "source above the safe block": copy("source.blockNumber", "chain.safeThroughBlock", 1n),
  "oldest first": reversed("events"),
  "an event twice": copy("events.0", "events.1"),
  "source is not the newest": set("source.transactionHash", HASH),
  "work per block": add("configuration.workPerBlock"),
  height: add("core.blockHeight"),
  remainder: add("core.currentWork"),
  "26 events": (b) => (b.events = Array.from({ length: 26 }, () => b.events[0])),
};

/** A batch that has completed blocks. */
const hasBlocks = ({ type, payload }: Any) =>
  type === "system.settlement_completed" && payload.completedBlockCount !== "0";
/** Edits a batch that has completed blocks. */
const ofBatch =
  (change: Edit): Edit =>
  (b) =>
    change(b.events.find(hasBlocks));
const FEED: Readonly<Record<string, Edit>> = {
  "safe block not 11 below": add("chain.safeThroughBlock"),
  "a type twice": (b) => b.activeEventTypes.push(b.activeEventTypes[0]),
  "no active type": set("activeEventTypes", []),
  "a type that is not active": set("activeEventTypes", ["player.units_merged"]),
  "another chain's event": set("events.0.source.chainId", "1"),
  "another release": set("events.0.source.releaseId", "other"),
  "another contract": set("events.0.source.contractAddress", ADDRESS),
  "an id of another block": set("events.0.id", "31337-1-1"),
  "above the safe block": copy("events.0.source.blockNumber", "chain.safeThroughBlock", 1n),
  "oldest first": reversed("events"),
  "a catalog of its own": set("catalogVersion", "public-activity-v2"),
};
const SETTLED: Readonly<Record<string, Edit>> = {
  "a batch that does not advance": ofBatch(copy("payload.settledThroughRound", "payload.previousSettledThroughRound")),
  "blocks that do not end at the height": ofBatch(add("payload.blockHeight")),
};
const MEASURED: Readonly<Record<string, Edit>> = {
  "another installation's": set("events.0.source.installationId", "other"),
  "an rpm record": merge("events.0", { type: "measurement.rpm_record", payload: { rpmMilli: 2, previousRpmMilli: 1 } }),
};

const RULES: readonly (readonly [RouteName, string, readonly string[], Readonly<Record<string, Edit>>])[] = [
  ["process", "/v4/public/process", [""], PROCESS],
  ["statistics", "/v2/public/stats", ["range=7d", "range=30d"], STATISTICS],
  ...(["settlements", "settlements-legacy"] as const).flatMap((name) => {
    const path = `/${name === "settlements" ? "v4" : "v3"}/public/settlements`;
    return [
      [name, path, ["range=now", "range=24h", "range=7d", "range=30d"], HISTORY],
      [name, path, ["range=24h", "range=7d", "range=30d"], WINDOWED],
      [name, path, ["range=now"], LIFETIME],
    ] as const;
  }),
  ["settlements", "/v4/public/settlements", ["range=now", "range=30d"], V4],
  ["settlements", "/v4/public/settlements", ["range=now&queue=1"], QUEUE],
  ["onchain", "/v4/public/onchain", [""], ONCHAIN],
  ["activity", "/v1/public/activity", ["category=protocol", "category=players"], FEED],
  ["activity", "/v1/public/activity", ["category=protocol", "category=all"], SETTLED],
  ["activity", "/v1/public/activity", ["category=measurement"], MEASURED],
  [
    "telemetry",
    "/v1/public/telemetry",
    [""],
    {
      "offline with a measurement": set("status", "offline"),
      "online without a revision": set("revision", null),
      "measured without a version": set("softwareVersion", null),
      "another installation": set("measurement", null),
    },
  ],
  [
    "observations",
    "/v1/public/installations/wheel-1/observations",
    [""],
    {
      "another installation's item": set("items.1.installationId", "other"),
      "an item twice": copy("items.1", "items.0"),
      "nextCursor of another item": copy("nextCursor", "items.3.cursor"),
      "101 items": (b) => b.items.push(b.items[0]),
    },
  ],
  ["modules", "/v1/public/modules", [""], { "an instance twice": (b) => b.modules.push(b.modules[0]) }],
];

export const FIELD_FAULTS: readonly Planted[] = RULES.flatMap(([route, path, queries, rules]) =>
  queries.flatMap((query) => {
    const planted = planter(`${path}?${query}: `, "answers", route);
    const at: When = (sent) => isAt(path)(sent) && queryOf(sent) === query;
    return Object.entries(rules).map(([name, edit]) => planted.body(name, at, edit));
  }),
);
