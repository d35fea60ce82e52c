/** Routes that contradict each other, while each body follows all its own rules. */
import { header } from "../../../../src/verify/exchange.ts";
import {
  type Any,
  add,
  all,
  type Edit,
  edit,
  headers,
  isAt,
  move,
  type Planted,
  pathOf,
  planter,
  queryOf,
  set,
} from "./plant.ts";

const HASH = `0x${"ab".repeat(32)}`;

const TELEMETRY = "/v1/public/telemetry";
const PROCESS = "/v4/public/process";
const STATISTICS = "/v2/public/stats";
const ONCHAIN = "/v4/public/onchain";
const V4 = "/v4/public/settlements";
const V3 = "/v3/public/settlements";
const ACTIVITY = "/v1/public/activity";
const INSTALLATION_TELEMETRY = "/v1/public/installations/wheel-1/telemetry";

const withoutOldest = all((b) => b.recentSettlements.pop(), add("summary.archivedSettlementCount"));
const isSettlement = ({ type }: Any) => type === "system.settlement_completed";
const ofNewest =
  (change: Edit): Edit =>
  (b) =>
    change(b.events.find(isSettlement));

type Faults = Readonly<Record<string, Edit>>;

/** By path, and by the end of the query if only some queries' responses are faulty. */
const CASES: readonly (readonly [path: string, faults: Faults, queryEnd?: string])[] = [
  [
    TELEMETRY,
    {
      "telemetry of an older receipt": all(move("receivedAt", -30_000), move("observedAt", -30_000)),
      "telemetry of another epoch": set("measurement.counterEpoch", "00000000-0000-4000-8000-000000000001"),
      "telemetry with other work": add("measurement.cumulativeWorkUnits"),
      "telemetry of another provenance": set("measurement.provenance", "hardware"),
      "telemetry of another core status": set("measurement.coreStatus", "COUNTER_FAULT"),
      "telemetry stale, process online": set("status", "stale"),
      "telemetry offline": (b) => {
        const measured = { revision: null, observedAt: null, receivedAt: null, softwareVersion: null };
        Object.assign(b, { status: "offline", ...measured, measurement: null });
      },
    },
  ],
  [
    PROCESS,
    {
      "process of an older receipt": move("measurement.receivedAt", -30_000),
      "process observed at another time": move("measurement.observedAt", -1),
      "process with other work": add("measurement.cumulativeWorkUnits"),
      "process without a measurement": set("measurement", null),
      "process of another installation": set("installationId", "other"),
      "anchor one round behind": add("builder.anchor.settledThroughRound", -1n),
      "anchor with other work": add("builder.anchor.cumulativeWork"),
      "anchor at another height": add("builder.anchor.blockHeight"),
      "anchor of another transaction": set("builder.anchor.transactionHash", HASH),
      "process with another submission": add("settlementQueue.latestSubmission.expected.blockHeight"),
    },
  ],
  ["/v1/public/modules", { "modules of another installation": set("installationId", "other") }],
  [
    INSTALLATION_TELEMETRY,
    {
      "installation telemetry with other work": add("measurement.cumulativeWorkUnits"),
      "installation telemetry of another version": set("softwareVersion", "0.0.1"),
    },
  ],
  [
    ONCHAIN,
    {
      "onchain of another installation": set("installationId", "other"),
      "onchain one round ahead": add("core.settledThroughRound"),
      "onchain with one more block": all(
        (b) => add("core.cumulativeWork", BigInt(b.core.workPerBlock))(b),
        add("core.blockHeight"),
      ),
      "onchain on another chain": set("chain.chainId", "1"),
      "onchain of another target": set("chain.target", "mainnet"),
      "onchain deployed elsewhere": add("chain.deploymentBlock", -1n),
    },
  ],
  [
    V4,
    {
      "v4 on another chain": set("chain.chainId", "1"),
      "v4 without its oldest settlement": withoutOldest,
    },
  ],
  [V4, { "v4 range now without its newest": (b) => b.recentSettlements.shift() }, "range=now"],
  [V4, { "v4 range 24h with one that 7d has not": set("recentSettlements.0.transactionHash", HASH) }, "range=24h"],
  [
    V4,
    {
      "v4 queue with another history": set("recentSettlements.0.transactionHash", HASH),
      "queue of another submission": add("queueProjection.settledThroughRound"),
      "queue with other active rounds": add("queueProjection.activeRoundCount"),
    },
    "queue=1",
  ],
  [
    V3,
    {
      "v3 on another chain": set("chain.chainId", "1"),
      "v3 with another transaction": set("recentSettlements.0.transactionHash", HASH),
      "v3 without its oldest settlement": withoutOldest,
      "v3 with other active rounds": add("recentSettlements.0.activeRoundCount"),
    },
  ],
  [
    ACTIVITY,
    {
      "activity on another target": set("chain.target", "mainnet"),
      "activity with another transaction": ofNewest(set("source.transactionHash", HASH)),
      "activity with other work": ofNewest(add("payload.workAdded")),
      "activity with another frontier": ofNewest(add("payload.settledThroughRound")),
      "activity without its newest settlement": (b) => b.events.splice(b.events.findIndex(isSettlement), 1),
      "feed without settlements": edit("events", (events) => events.filter((event: Any) => !isSettlement(event))),
    },
  ],
  [
    STATISTICS,
    {
      "7d with another day": add("activity.days.5.distanceMm"),
      "7d with another lifetime": add("lifetime.settlementCount"),
      "7d with another first observation": move("lifetime.firstObservedAt", 1),
      "7d without a record": set("records.mostWorkHalfHour", null),
    },
    "range=7d",
  ],
  [
    STATISTICS,
    {
      "30d with another day": add("activity.days.28.distanceMm"),
      "30d with another lifetime": add("lifetime.acceptedWorkUnits"),
      "30d with another record": add("records.mostWorkHalfHour.value"),
    },
    "range=30d",
  ],
];

const disagreeing = planter("", "between");
export const ROUTE_FAULTS: readonly Planted[] = CASES.flatMap(([path, faults, queryEnd = ""]) =>
  Object.entries(faults).map(([name, edit]) =>
    disagreeing.body(name, (sent) => pathOf(sent) === path && queryOf(sent).endsWith(queryEnd), edit),
  ),
);

/** Clock faults: correct data that is shown too late or too early. `ms` moves the server's Date. */
export const CLOCK_FAULTS: readonly Planted[] = (
  [
    ["telemetry kept for 150 s", TELEMETRY, 150_000, "telemetry"],
    ["telemetry kept for 10 min", TELEMETRY, 600_000, "telemetry"],
    ["process kept for 150 s", PROCESS, 150_000, "process"],
    ["process kept for 11 min", PROCESS, 660_000, "process"],
    ["statistics kept past noon", STATISTICS, 2 * 3_600_000, "statistics"],
    ["v4 kept past the hour", V4, 3_600_000, "settlements"],
    ["v3 kept past noon", V3, 2 * 3_600_000, "settlements-legacy"],
    ["telemetry from the future", TELEMETRY, -60_000, "telemetry"],
    ["process from the future", PROCESS, -60_000, "process"],
    ["statistics from the future", STATISTICS, -60_000, "statistics"],
    ["v4 from the future", V4, -60_000, "settlements"],
    ["activity from the future", ACTIVITY, -60_000, "activity"],
    ["onchain from the future", ONCHAIN, -8 * 3_600_000, "onchain"],
  ] as const
).map(([name, path, ms, only]) =>
  planter("", "answer", only).reply(name, isAt(path), (reply) => {
    const date = Date.parse(header(reply, "date") ?? "");
    return headers({ date: new Date(date + ms).toUTCString() })(reply);
  }),
);
