/** One route says something else than another, every rule of its own body kept. */
import { editBody, isAt, onReply, type Planted, withHeaders } from "./plant.ts";

/** Bodies are broken on purpose, field by field: as JSON.parse gives them. */
type Any = ReturnType<typeof JSON.parse>;

const plus = (text: string, more = 1n) => String(BigInt(text) + more);
const HASH = `0x${"ab".repeat(32)}`;
const later = (text: string, ms: number) => new Date(Date.parse(text) + ms).toISOString();

type Case = readonly [name: string, path: string, edit: (body: Any, query: string) => unknown];

const TELEMETRY = "/v1/public/telemetry";
const PROCESS = "/v4/public/process";
const STATISTICS = "/v2/public/stats";
const ONCHAIN = "/v4/public/onchain";
const V4 = "/v4/public/settlements";
const V3 = "/v3/public/settlements";
const ACTIVITY = "/v1/public/activity";

const CASES: readonly Case[] = [
  [
    "telemetry of an older receipt",
    TELEMETRY,
    (b) => Object.assign(b, { receivedAt: later(b.receivedAt, -30_000), observedAt: later(b.observedAt, -30_000) }),
  ],
  [
    "telemetry of another epoch",
    TELEMETRY,
    (b) => (b.measurement.counterEpoch = "00000000-0000-4000-8000-000000000001"),
  ],
  [
    "telemetry with other work",
    TELEMETRY,
    (b) => (b.measurement.cumulativeWorkUnits = plus(b.measurement.cumulativeWorkUnits)),
  ],
  ["telemetry of another provenance", TELEMETRY, (b) => (b.measurement.provenance = "hardware")],
  ["telemetry of another core status", TELEMETRY, (b) => (b.measurement.coreStatus = "COUNTER_FAULT")],
  ["telemetry stale, process online", TELEMETRY, (b) => (b.status = "stale")],
  [
    "telemetry offline",
    TELEMETRY,
    (b) =>
      Object.assign(b, {
        status: "offline",
        revision: null,
        observedAt: null,
        receivedAt: null,
        softwareVersion: null,
        measurement: null,
      }),
  ],
  [
    "process of an older receipt",
    PROCESS,
    (b) => (b.measurement.receivedAt = later(b.measurement.receivedAt, -30_000)),
  ],
  [
    "process observed at another time",
    PROCESS,
    (b) => (b.measurement.observedAt = later(b.measurement.observedAt, -1)),
  ],
  [
    "process with other work",
    PROCESS,
    (b) => (b.measurement.cumulativeWorkUnits = plus(b.measurement.cumulativeWorkUnits)),
  ],
  ["process without a measurement", PROCESS, (b) => (b.measurement = null)],
  ["process of another installation", PROCESS, (b) => (b.installationId = "other")],
  ["modules of another installation", "/v1/public/modules", (b) => (b.installationId = "other")],
  ["onchain of another installation", ONCHAIN, (b) => (b.installationId = "other")],
  [
    "installation telemetry with other work",
    "/v1/public/installations/wheel-1/telemetry",
    (b) => (b.measurement.cumulativeWorkUnits = plus(b.measurement.cumulativeWorkUnits)),
  ],
  [
    "installation telemetry of another version",
    "/v1/public/installations/wheel-1/telemetry",
    (b) => (b.softwareVersion = "0.0.1"),
  ],
  [
    "anchor one round behind",
    PROCESS,
    (b) => (b.builder.anchor.settledThroughRound = plus(b.builder.anchor.settledThroughRound, -1n)),
  ],
  ["anchor with other work", PROCESS, (b) => (b.builder.anchor.cumulativeWork = plus(b.builder.anchor.cumulativeWork))],
  ["anchor at another height", PROCESS, (b) => (b.builder.anchor.blockHeight = plus(b.builder.anchor.blockHeight))],
  ["anchor of another transaction", PROCESS, (b) => (b.builder.anchor.transactionHash = HASH)],
  ["onchain one round ahead", ONCHAIN, (b) => (b.core.settledThroughRound = plus(b.core.settledThroughRound))],
  [
    "onchain with a block more",
    ONCHAIN,
    (b) =>
      Object.assign(b.core, {
        cumulativeWork: plus(b.core.cumulativeWork, BigInt(b.core.workPerBlock)),
        blockHeight: plus(b.core.blockHeight),
      }),
  ],
  ["onchain on another chain", ONCHAIN, (b) => (b.chain.chainId = "1")],
  ["onchain of another target", ONCHAIN, (b) => (b.chain.target = "mainnet")],
  ["onchain deployed elsewhere", ONCHAIN, (b) => (b.chain.deploymentBlock = plus(b.chain.deploymentBlock, -1n))],
  ["v4 on another chain", V4, (b) => (b.chain.chainId = "1")],
  ["v3 on another chain", V3, (b) => (b.chain.chainId = "1")],
  ["activity on another target", ACTIVITY, (b) => (b.chain.target = "mainnet")],
  ["v3 with another transaction", V3, (b) => (b.recentSettlements[0].transactionHash = HASH)],
  ["v3 with an older settlement less", V3, (b) => dropOldest(b)],
  ["v4 with an older settlement less", V4, (b) => dropOldest(b)],
  [
    "v3 with other active rounds",
    V3,
    (b) => (b.recentSettlements[0].activeRoundCount = plus(b.recentSettlements[0].activeRoundCount)),
  ],
  ["v4 range now without its newest", V4, (b, query) => query === "range=now" && b.recentSettlements.shift()],
  [
    "v4 range 24h with one that 7d has not",
    V4,
    (b, query) => query === "range=24h" && (b.recentSettlements[0].transactionHash = HASH),
  ],
  [
    "v4 queue with another history",
    V4,
    (b, query) => query.includes("queue") && (b.recentSettlements[0].transactionHash = HASH),
  ],
  [
    "queue of another submission",
    V4,
    (b, query) =>
      query.includes("queue") && (b.queueProjection.settledThroughRound = plus(b.queueProjection.settledThroughRound)),
  ],
  [
    "queue with other active rounds",
    V4,
    (b, query) =>
      query.includes("queue") && (b.queueProjection.activeRoundCount = plus(b.queueProjection.activeRoundCount)),
  ],
  [
    "process with another submission",
    PROCESS,
    (b) =>
      (b.settlementQueue.latestSubmission.expected.blockHeight = plus(
        b.settlementQueue.latestSubmission.expected.blockHeight,
      )),
  ],
  ["feed with another transaction", ACTIVITY, (b) => (settled(b).source.transactionHash = HASH)],
  ["feed with other work", ACTIVITY, (b) => (settled(b).payload.workAdded = plus(settled(b).payload.workAdded))],
  [
    "feed of another frontier",
    ACTIVITY,
    (b) => (settled(b).payload.settledThroughRound = plus(settled(b).payload.settledThroughRound)),
  ],
  ["feed without its newest settlement", ACTIVITY, (b) => b.events.splice(b.events.indexOf(settled(b)), 1)],
  [
    "feed without settlements",
    ACTIVITY,
    (b) => (b.events = b.events.filter((event: Any) => event.type !== "system.settlement_completed")),
  ],
  [
    "7d with another day",
    STATISTICS,
    (b) => b.range === "7d" && (b.activity.days[5].distanceMm = plus(b.activity.days[5].distanceMm ?? "0")),
  ],
  [
    "30d with another day",
    STATISTICS,
    (b) => b.range === "30d" && (b.activity.days[28].distanceMm = plus(b.activity.days[28].distanceMm ?? "0")),
  ],
  [
    "7d with another lifetime",
    STATISTICS,
    (b) => b.range === "7d" && (b.lifetime.settlementCount = plus(b.lifetime.settlementCount)),
  ],
  [
    "30d with another lifetime",
    STATISTICS,
    (b) => b.range === "30d" && (b.lifetime.acceptedWorkUnits = plus(b.lifetime.acceptedWorkUnits)),
  ],
  [
    "7d with another first observation",
    STATISTICS,
    (b) => b.range === "7d" && (b.lifetime.firstObservedAt = later(b.lifetime.firstObservedAt, 1)),
  ],
  [
    "30d with another record",
    STATISTICS,
    (b) => b.range === "30d" && (b.records.mostWorkHalfHour.value = plus(b.records.mostWorkHalfHour.value)),
  ],
  ["7d without a record", STATISTICS, (b) => b.range === "7d" && (b.records.mostWorkHalfHour = null)],
];

function dropOldest(b: Any): void {
  b.recentSettlements.pop();
  b.summary.archivedSettlementCount = plus(b.summary.archivedSettlementCount);
}
function settled(b: Any): Any {
  return b.events.find((event: Any) => event.type === "system.settlement_completed");
}

export const ROUTE_FAULTS: readonly Planted[] = CASES.map(([name, path, edit]) => ({
  name,
  families: ["agreement"],
  fault: editBody(isAt(path), (body: Any) =>
    edit(body, body.queueProjection === undefined ? `range=${body.range}` : "range=now&queue=1"),
  ),
}));

/** The clock: what was right once, seen too late or too early; `ms` moves the server's Date. */
export const CLOCK_FAULTS: readonly Planted[] = (
  [
    ["telemetry kept for 150 s", TELEMETRY, 150_000, "telemetry"],
    ["telemetry kept for 10 min", TELEMETRY, 600_000, "telemetry"],
    ["process kept for 150 s", PROCESS, 150_000, "process"],
    ["process kept for 11 min", PROCESS, 660_000, "process"],
    ["statistics kept past noon", STATISTICS, 2 * 3_600_000, "statistics"],
    ["v4 kept past the hour", V4, 3_600_000, "settlements"],
    ["v3 kept past noon", V3, 2 * 3_600_000, "settlements-legacy"],
    ["telemetry from ahead", TELEMETRY, -60_000, "telemetry"],
    ["process from ahead", PROCESS, -60_000, "process"],
    ["statistics from ahead", STATISTICS, -60_000, "statistics"],
    ["v4 from ahead", V4, -60_000, "settlements"],
    ["activity from ahead", ACTIVITY, -60_000, "activity"],
    ["onchain from ahead", ONCHAIN, -8 * 3_600_000, "onchain"],
  ] as const
).map(([name, path, ms, only]) => ({
  name,
  families: ["answers"],
  only: [only],
  fault: onReply(isAt(path), (reply) => {
    const date = Date.parse(reply.headers.get("date")?.[0] ?? "");
    return withHeaders(reply, { date: new Date(date + ms).toUTCString() });
  }),
}));
