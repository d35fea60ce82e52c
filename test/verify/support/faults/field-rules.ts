/** The rules between a body's fields, each broken: of process, statistics, settlements, onchain and activity. */
import type { RouteName } from "../../../../src/resources/table.ts";
import { editBody, isAt, type Planted, queryOf } from "./plant.ts";

/** Bodies are broken on purpose, field by field: as JSON.parse gives them. */
type Any = ReturnType<typeof JSON.parse>;
type Edit = (body: Any) => unknown;

const plus = (text: string, more = 1n) => String(BigInt(text) + more);
const HASH = `0x${"ab".repeat(32)}`;
const ADDRESS = `0x${"12".repeat(20)}`;

const PROCESS: Readonly<Record<string, Edit>> = {
  "workPerBlock 0": (b) => (b.builder.anchor.workPerBlock = "0"),
  "currentWork not below workPerBlock": (b) => (b.builder.anchor.currentWork = b.builder.anchor.workPerBlock),
  "projected currentWork not below": (b) => (b.builder.projected.currentWork = b.builder.projected.workPerBlock),
  "completed blocks without bounds": (b) =>
    Object.assign(b.builder.projected, {
      firstCompletedBlock: null,
      lastCompletedBlock: null,
      completedBlockCount: "1",
    }),
  "bounds without completed blocks": (b) =>
    Object.assign(b.builder.projected, { firstCompletedBlock: "1", lastCompletedBlock: "1", completedBlockCount: "0" }),
  "suffix not at blockHeight": (b) => (b.builder.projected.blockHeight = plus(b.builder.projected.blockHeight)),
  "builder projects closed work alone": (b) =>
    (b.builder.queued.openRoundWorkUnits = plus(b.builder.queued.openRoundWorkUnits)),
  "builder projects other work": (b) => (b.builder.projected.cumulativeWork = plus(b.builder.projected.cumulativeWork)),
  "queue projects other work": (b) =>
    (b.settlementQueue.projected.cumulativeWork = plus(b.settlementQueue.projected.cumulativeWork)),
  "buffered elsewhere": (b) => {
    const { buffered } = b.settlementQueue;
    Object.assign(buffered, {
      firstRound: plus(buffered.firstRound ?? "0", 2n),
      lastRound: plus(buffered.lastRound ?? "0", 2n),
    });
  },
  "closure's count": (b) => (b.oracle.latestClosure.roundCount = plus(b.oracle.latestClosure.roundCount)),
  "buffered count": (b) => (b.settlementQueue.buffered.roundCount = plus(b.settlementQueue.buffered.roundCount)),
  "more active than buffered": (b) =>
    (b.settlementQueue.buffered.activeRoundCount = plus(b.settlementQueue.buffered.roundCount)),
  "submission's count": (b) =>
    (b.settlementQueue.latestSubmission.roundCount = plus(b.settlementQueue.latestSubmission.roundCount)),
  "17 active rounds": (b) => (b.settlementQueue.latestSubmission.activeRoundCount = "17"),
  "submitted without submittedAt": (b) => (b.settlementQueue.latestSubmission.submittedAt = null),
  "terminalAt before the end": (b) => (b.settlementQueue.latestSubmission.terminalAt = b.generatedAt),
  "confirmedAt before the end": (b) => (b.settlementQueue.latestSubmission.confirmedAt = b.generatedAt),
  "an outcome before the end": (b) => (b.settlementQueue.latestSubmission.outcomeCode = "reverted"),
  "oracle accepted with a reason": (b) => Object.assign(b.oracle, { state: "accepted", reason: "why" }),
  "oracle blocked without a reason": (b) => Object.assign(b.oracle, { state: "blocked", reason: null }),
  "oracle unavailable with a time": (b) =>
    Object.assign(b.oracle, { state: "unavailable", reason: "no_accepted_closure" }),
  "oracle accepted without a time": (b) => (b.oracle.latestAcceptedAt = null),
  "blocked without a reason": (b) => (b.settlementQueue.state = "blocked"),
  "a reason without being blocked": (b) => (b.settlementQueue.blockedReason = "incident"),
  "empty with buffered rounds": (b) =>
    Object.assign(b.settlementQueue, {
      state: "empty",
      buffered: { firstRound: "1", lastRound: "1", roundCount: "1", activeRoundCount: "0", workUnits: "0" },
    }),
  "ready without buffered rounds": (b) =>
    Object.assign(b.settlementQueue, {
      state: "ready",
      buffered: { firstRound: null, lastRound: null, roundCount: "0", activeRoundCount: "0", workUnits: "0" },
    }),
};

const day = (b: Any) => b.activity.days[b.activity.days.length - 2];
const STATISTICS: Readonly<Record<string, Edit>> = {
  "dayCount of the other range": (b) => (b.window.dayCount = b.window.dayCount === 7 ? 30 : 7),
  "a day too few": (b) => b.activity.days.shift(),
  "days not consecutive": (b) => (day(b).date = "2020-01-01"),
  "window from elsewhere": (b) => (b.window.startAt = "2026-01-01T12:00:00.000Z"),
  "window past generatedAt": (b) => (b.window.endAt = "2026-12-01T12:00:00.000Z"),
  "buckets out of order": (b) => (day(b).buckets = day(b).buckets.toReversed()),
  "a day's work": (b) => (day(b).observedWorkUnits = plus(day(b).observedWorkUnits)),
  "a day's rounds": (b) => (day(b).coverage.observedRoundCount = 1),
  "the range's work": (b) => (b.activity.summary.observedWorkUnits = plus(b.activity.summary.observedWorkUnits)),
  "the range's distance": (b) => (b.activity.summary.observedDistanceMm = plus(b.activity.summary.observedDistanceMm)),
  "the range's expected rounds": (b) => b.activity.coverage.expectedRoundCount--,
  "the range's observed rounds": (b) => b.activity.coverage.observedRoundCount--,
  "active days": (b) => b.activity.summary.activeDayCount++,
  "inactive days": (b) => b.activity.summary.inactiveDayCount++,
  "coverage bps": (b) => b.activity.coverage.coverageBps++,
  "a day's coverage bps": (b) => (day(b).coverage.coverageBps = day(b).coverage.coverageBps === 0 ? 1 : 0),
  "complete while it is not": (b) => (b.activity.coverage.complete = !b.activity.coverage.complete),
  "typical total": (b) => (b.activity.typicalDay[20].totalWorkUnits = plus(b.activity.typicalDay[20].totalWorkUnits)),
  "typical days": (b) => b.activity.typicalDay[20].observedDayCount++,
  "typical mean": (b) => (b.activity.typicalDay[20].meanWorkMilli = "123456789"),
  "mean of active days": (b) => (b.activity.summary.averageWorkPerActiveDayMilli = "1"),
  "mean of active rounds": (b) => (b.rounds.averageActiveWorkMilli = "1"),
  "rounds do not add up": (b) => b.rounds.zeroWorkCount++,
  "missing rounds": (b) => b.rounds.missingCount++,
  "active rate": (b) => (b.rounds.activeRateBps = b.rounds.activeRateBps === 0 ? 1 : 0),
  "lifetime below the range": (b) => (b.lifetime.acceptedWorkUnits = "0"),
  "lifetime distance below": (b) => (b.lifetime.observedDistanceMm = "0"),
  "lifetime days below": (b) => (b.lifetime.activeDayCount = 0),
  "more outcomes than submissions": (b) =>
    b.oracle.confirmedCount++ && (b.oracle.confirmedCount = b.oracle.submissionCount + 1),
  "confirmation rate": (b) => (b.oracle.confirmationRateBps = b.oracle.confirmationRateBps === 1 ? 2 : 1),
  "revert rate": (b) => (b.oracle.revertRateBps = 9_999),
  "complete for the window": (b) => (b.oracle.completeForWindow = !b.oracle.completeForWindow),
  "p90 below the median": (b) => (b.rounds.p90ActiveWork = "0"),
  "submit p90 below p50": (b) => Object.assign(b.oracle, { submitP50Ms: 10, submitP90Ms: 9 }),
  "finality p90 without p50": (b) => Object.assign(b.oracle, { finalityP50Ms: null, finalityP90Ms: 9 }),
  "no median where there is work": (b) => (b.activity.summary.medianWorkPerActiveDay = null),
  "no best day where there is work": (b) => (b.activity.summary.mostActiveDate = null),
  "best day without its work": (b) => (b.activity.summary.mostActiveDateWorkUnits = null),
  "complete bucket of two rounds": (b) =>
    Object.assign(day(b).buckets[5], { coverage: "complete", observedRoundCount: 2, workUnits: "0" }),
  "partial bucket without work": (b) =>
    Object.assign(day(b).buckets[5], { coverage: "partial", observedRoundCount: 1, workUnits: null }),
  "missing bucket with work": (b) =>
    Object.assign(day(b).buckets[5], { coverage: "missing", observedRoundCount: 0, workUnits: "0" }),
  "future bucket with a round": (b) =>
    Object.assign(day(b).buckets[5], { coverage: "future", observedRoundCount: 1, workUnits: null }),
};

const HISTORY: Readonly<Record<string, Edit>> = {
  "safe block not 11 below": (b) => (b.chain.safeThroughBlock = plus(b.chain.safeThroughBlock)),
  "deployed above the safe block": (b) => (b.chain.deploymentBlock = plus(b.chain.indexedThroughBlock)),
  "11 confirmations": (b) => (b.chain.confirmations = "11"),
  "archived count": (b) => (b.summary.archivedSettlementCount = plus(b.summary.archivedSettlementCount)),
  "recent beyond the summary": (b) => (b.summary.workAdded = "0"),
  "oldest first": (b) => (b.recentSettlements = b.recentSettlements.toReversed()),
  "above the safe block": (b) => (b.recentSettlements[0].ethereumBlockNumber = plus(b.chain.safeThroughBlock)),
  "a batch that does not advance": (b) =>
    (b.recentSettlements[0].previousSettledThroughRound = b.recentSettlements[0].settledThroughRound),
  "blocks that do not end at the height": (b) =>
    (b.recentSettlements[0].blockHeight = plus(b.recentSettlements[0].blockHeight)),
  "bounds of no block": (b) =>
    Object.assign(b.recentSettlements[0], { completedBlockCount: "0", firstCompletedBlock: "1" }),
  "work that does not go on": (b) =>
    (b.recentSettlements[1].cumulativeWork = plus(b.recentSettlements[1].cumulativeWork)),
  "frontiers that do not go on": (b) =>
    (b.recentSettlements[1].settledThroughRound = plus(b.recentSettlements[1].settledThroughRound)),
};
const WINDOWED: Readonly<Record<string, Edit>> = {
  "a bucket too few": (b) => b.buckets.pop(),
  "bucket totals": (b) => (b.buckets[0].workAdded = plus(b.buckets[0].workAdded)),
  "buckets with a gap": (b) => (b.buckets[3].startAt = b.buckets[4].startAt),
  "another bucket length": (b) => (b.window.bucketSeconds *= 2),
  "a window that ends too early": (b) => (b.window.endAt = b.generatedAt),
  "no window": (b) => (b.window = null),
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
  "a mint confirmed before an older one": (b) => {
    b.recentSettlements[0].mint.state = "confirmed";
    b.recentSettlements.at(-1).mint.state = "pending";
  },
  "9 decimals": (b) => (b.economy.decimals = 9),
};
const QUEUE: Readonly<Record<string, Edit>> = {
  "queue from elsewhere": (b) =>
    (b.queueProjection.previousSettledThroughRound = plus(b.queueProjection.previousSettledThroughRound)),
  "queue's height": (b) => (b.queueProjection.blockHeight = plus(b.queueProjection.blockHeight)),
  "queue's count": (b) => (b.queueProjection.completedBlockCount = plus(b.queueProjection.completedBlockCount)),
  "queue's state": (b) => (b.queueProjection.state = "settled"),
  "a queue that is null": (b) => (b.queueProjection = null),
};

const ONCHAIN: Readonly<Record<string, Edit>> = {
  "safe block not 11 below": (b) => (b.chain.safeThroughBlock = plus(b.chain.safeThroughBlock)),
  "another Core's event": (b) => (b.events[0].contractAddress = ADDRESS),
  "admin slot": (b) => (b.identities.proxyAdminSlot = ADDRESS),
  "admin owner": (b) => (b.identities.proxyAdminOwner = ADDRESS),
  implementation: (b) => (b.implementation.codeAddress = ADDRESS),
  "event above the safe block": (b) => (b.events[0].blockNumber = plus(b.chain.safeThroughBlock)),
  "source above the safe block": (b) => (b.source.blockNumber = plus(b.chain.safeThroughBlock)),
  "oldest first": (b) => (b.events = b.events.toReversed()),
  "an event twice": (b) => b.events.splice(0, 1, b.events[1]),
  "source is not the newest": (b) => (b.source.transactionHash = HASH),
  "work per block": (b) => (b.configuration.workPerBlock = plus(b.configuration.workPerBlock)),
  height: (b) => (b.core.blockHeight = plus(b.core.blockHeight)),
  remainder: (b) => (b.core.currentWork = plus(b.core.currentWork)),
  "26 events": (b) => (b.events = Array.from({ length: 26 }, () => b.events[0])),
};

/** A batch that has completed blocks. */
const settled = (b: Any) =>
  b.events.find(
    ({ type, payload }: Any) => type === "system.settlement_completed" && payload.completedBlockCount !== "0",
  );
const FEED: Readonly<Record<string, Edit>> = {
  "safe block not 11 below": (b) => (b.chain.safeThroughBlock = plus(b.chain.safeThroughBlock)),
  "a type twice": (b) => b.activeEventTypes.push(b.activeEventTypes[0]),
  "no active type": (b) => (b.activeEventTypes = []),
  "a type that is not active": (b) => (b.activeEventTypes = ["player.units_merged"]),
  "another chain's event": (b) => (b.events[0].source.chainId = "1"),
  "another release": (b) => (b.events[0].source.releaseId = "other"),
  "another contract": (b) => (b.events[0].source.contractAddress = ADDRESS),
  "an id of another block": (b) => (b.events[0].id = "31337-1-1"),
  "above the safe block": (b) => (b.events[0].source.blockNumber = plus(b.chain.safeThroughBlock)),
  "oldest first": (b) => (b.events = b.events.toReversed()),
  "a catalog of its own": (b) => (b.catalogVersion = "public-activity-v2"),
};
const SETTLED: Readonly<Record<string, Edit>> = {
  "a batch that does not advance": (b) =>
    (settled(b).payload.settledThroughRound = settled(b).payload.previousSettledThroughRound),
  "blocks that do not end at the height": (b) =>
    (settled(b).payload.blockHeight = plus(settled(b).payload.blockHeight)),
};
const MEASURED: Readonly<Record<string, Edit>> = {
  "another installation's": (b) => (b.events[0].source.installationId = "other"),
  "an rpm record": (b) =>
    Object.assign(b.events[0], { type: "measurement.rpm_record", payload: { rpmMilli: 2, previousRpmMilli: 1 } }),
};

const OTHERS: readonly (readonly [RouteName, string, Readonly<Record<string, Edit>>])[] = [
  [
    "telemetry",
    "/v1/public/telemetry",
    {
      "offline with a measurement": (b) => (b.status = "offline"),
      "online without a revision": (b) => (b.revision = null),
      "measured without a version": (b) => (b.softwareVersion = null),
      "another installation": (b) => (b.measurement = null),
    },
  ],
  [
    "observations",
    "/v1/public/installations/wheel-1/observations",
    {
      "another installation's item": (b) => (b.items[1].installationId = "other"),
      "an item twice": (b) => (b.items[1] = b.items[0]),
      "nextCursor of another item": (b) => (b.nextCursor = b.items[3].cursor),
      "101 items": (b) => b.items.push(b.items[0]),
    },
  ],
  ["modules", "/v1/public/modules", { "an instance twice": (b) => b.modules.push(b.modules[0]) }],
];

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
  ...OTHERS.map(([name, path, rules]) => [name, path, [""], rules] as const),
];

export const FIELD_FAULTS: readonly Planted[] = RULES.flatMap(([route, path, queries, rules]) =>
  queries.flatMap((query) =>
    Object.entries(rules).map(([name, edit]) => ({
      name: `${path}?${query}: ${name}`,
      families: ["answers"] as const,
      only: [route],
      fault: editBody((sent, reply) => isAt(path)(sent, reply) && queryOf(sent) === query, edit),
    })),
  ),
);
