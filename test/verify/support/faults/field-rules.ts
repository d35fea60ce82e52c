/** Breaks each rule between fields of process, statistics, settlements, onchain and activity. */
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
type Faults = Readonly<Record<string, Edit>>;

/** test/resources breaks the schemas' own rules. Here each route has one of them, plus verify's own rules. */
const PROCESS: Faults = {
  "workPerBlock 0": set("builder.anchor.workPerBlock", "0"),
  "suffix not at blockHeight": add("builder.projected.blockHeight"),
  "builder projects only closed work": add("builder.queued.openRoundWorkUnits"),
  "builder projects other work": add("builder.projected.cumulativeWork"),
  "queue projects other work": add("settlementQueue.projected.cumulativeWork"),
  "buffered elsewhere": all(
    add("settlementQueue.buffered.firstRound", 2n),
    add("settlementQueue.buffered.lastRound", 2n),
  ),
  "empty with buffered rounds": merge("settlementQueue", {
    state: "empty",
    buffered: { firstRound: "1", lastRound: "1", roundCount: "1", activeRoundCount: "0", workUnits: "0" },
  }),
};
const STATISTICS: Faults = {
  "dayCount of the other range": edit("window.dayCount", (days) => (days === 7 ? 30 : 7)),
  "window from elsewhere": set("window.startAt", "2026-01-01T12:00:00.000Z"),
  "a day's work": add("activity.days.-2.observedWorkUnits"),
};
const HISTORY: Faults = {
  "safe block not 11 below": add("chain.safeThroughBlock"),
  "oldest first": reversed("recentSettlements"),
};
const WINDOWED: Faults = {
  "bucket totals": add("buckets.0.workAdded"),
  "another bucket length": edit("window.bucketSeconds", (seconds) => seconds * 2),
  "no window": set("window", null),
};
const LIFETIME: Faults = {
  "a window": (b) => (b.window = { startAt: b.generatedAt, endAt: b.generatedAt, bucketSeconds: 3600 }),
};
const QUEUE: Faults = {
  "queue's height": add("queueProjection.blockHeight"),
  "a queue that is null": set("queueProjection", null),
};

const ONCHAIN: Faults = {
  "safe block not 11 below": add("chain.safeThroughBlock"),
  "another Core's event": set("events.0.contractAddress", ADDRESS),
  "admin slot": set("identities.proxyAdminSlot", ADDRESS),
  "admin owner": set("identities.proxyAdminOwner", ADDRESS),
  implementation: set("implementation.codeAddress", ADDRESS),
  "event above the safe block": copy("events.0.blockNumber", "chain.safeThroughBlock", 1n),
  "source above the safe block": copy("source.blockNumber", "chain.safeThroughBlock", 1n),
  "oldest first": reversed("events"),
  "a repeated event": copy("events.0", "events.1"),
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
const FEED: Faults = {
  "safe block not 11 below": add("chain.safeThroughBlock"),
  "a repeated type": (b) => b.activeEventTypes.push(b.activeEventTypes[0]),
  "no active type": set("activeEventTypes", []),
  "a type that is not active": set("activeEventTypes", ["player.units_merged"]),
  "another chain's event": set("events.0.source.chainId", "1"),
  "another release": set("events.0.source.releaseId", "other"),
  "another contract": set("events.0.source.contractAddress", ADDRESS),
  "an id of another block": set("events.0.id", "31337-1-1"),
  "above the safe block": copy("events.0.source.blockNumber", "chain.safeThroughBlock", 1n),
  "oldest first": reversed("events"),
  "an unknown catalog": set("catalogVersion", "public-activity-v2"),
};
const SETTLED: Faults = {
  "a batch that does not advance": ofBatch(copy("payload.settledThroughRound", "payload.previousSettledThroughRound")),
  "blocks that do not end at the height": ofBatch(add("payload.blockHeight")),
};
const MEASURED: Faults = {
  "another installation's": set("events.0.source.installationId", "other"),
  "an rpm record": merge("events.0", { type: "measurement.rpm_record", payload: { rpmMilli: 2, previousRpmMilli: 1 } }),
};

const RULES: readonly (readonly [RouteName, string, readonly string[], Faults])[] = [
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
      "a repeated item": copy("items.1", "items.0"),
      "nextCursor of another item": copy("nextCursor", "items.3.cursor"),
      "101 items": (b) => b.items.push(b.items[0]),
    },
  ],
  ["modules", "/v1/public/modules", [""], { "an instance twice": (b) => b.modules.push(b.modules[0]) }],
];

export const FIELD_FAULTS: readonly Planted[] = RULES.flatMap(([route, path, queries, rules]) =>
  queries.flatMap((query) => {
    const planted = planter(`${path}?${query}: `, "answer", route);
    const at: When = (sent) => isAt(path)(sent) && queryOf(sent) === query;
    return Object.entries(rules).map(([name, edit]) => planted.body(name, at, edit));
  }),
);
