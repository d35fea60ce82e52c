/** Rules between routes. Data may change between two reads, so what differs is read again before it is a finding. */
import type {
  Activity,
  LegacySettlements,
  Observations,
  Onchain,
  Process,
  Settlements,
  Statistics,
  Telemetry,
} from "../client/generated/bodies.ts";
import { ACTIVITY_LIMIT } from "../resources/activity/route.ts";
import { SETTLEMENT_RANGES } from "../resources/settlements/route.ts";
import type { RouteName } from "../resources/table.ts";
import { bodyComplaint } from "./body.ts";
import { jsonOf } from "./exchange.ts";
import type { RuleName } from "./rules.ts";
import type { Run, Subject } from "./run.ts";

/** The response of `at` says `one`, and another response says `other`. */
interface Difference {
  readonly at: string;
  readonly one: unknown;
  readonly other: unknown;
}

/** Differences, or the reason why two bodies cannot be compared. */
type Compared = readonly Difference[] | string;

interface Agreement {
  readonly rule: RuleName;
  /** Two routes with queries. */
  readonly sources: readonly [Source, Source];
  compare(one: never, other: never): Compared;
}

type Source = readonly [route: RouteName, query?: string];

/** Waits (ms) that exceed the time a cache keeps a response. The last one exceeds that of statistics. */
const READ_AGAIN_AFTER_MS = [1_500, 6_000, 31_000];

export async function judgeAgreements(run: Run): Promise<void> {
  await Promise.all(AGREEMENTS.map((agreement) => judgeAgreement(run, agreement)));
}

async function judgeAgreement(run: Run, { rule, sources, compare }: Agreement): Promise<void> {
  const subjects = sources.flatMap(([name, query]) => {
    const route = run.route(name);
    return route === undefined ? [] : [run.subject(route, query)];
  });
  const [one, other] = subjects;
  // Compared only if both routes are verified.
  if (one === undefined || other === undefined) return;
  const request = `GET ${other.target} after ${one.target}`;
  await run.guarded(request, async () => {
    for (const pause of [...READ_AGAIN_AFTER_MS, undefined]) {
      const bodies = [await read(run, one), await read(run, other)];
      const unread = bodies.find((body) => typeof body === "string");
      const found = unread ?? compare(bodies[0] as never, bodies[1] as never);
      if (typeof found === "string") return run.skip(rule, found);
      const [first] = found;
      if (first !== undefined && pause !== undefined) {
        await run.environment.pause(pause);
        continue;
      }
      run.on(request)(
        rule,
        first === undefined,
        `${first?.at} ${text(first?.one)}, as ${one.target} says`,
        text(first?.other),
      );
      return;
    }
  });
}

/** Returns a body that follows its schema, or the reason why there is none. */
async function read(run: Run, subject: Subject): Promise<unknown> {
  const reply = await run.ask(subject);
  const body = reply.status === 200 ? jsonOf(reply) : undefined;
  const isRead = body !== undefined && bodyComplaint(subject.route.name, body)?.isShape !== true;
  return isRead ? body : `GET ${subject.target} got ${reply.status}, or not the resource`;
}

function text(value: unknown): string {
  return value === undefined ? "nothing" : JSON.stringify(value).slice(0, 140);
}

type Fields = Readonly<Record<string, unknown>>;

/** Returns the entries of `names` in which two objects differ. */
function differences(one: Fields, other: Fields, names: readonly string[]): Difference[] {
  return names
    .filter((name) => JSON.stringify(one[name]) !== JSON.stringify(other[name]))
    .map((at) => ({ at, one: one[at], other: other[at] }));
}

/** Compares two views of the chain if both are available. */
function available<One extends Status, Other extends Status>(
  compare: (one: Available<One>, other: Available<Other>) => Compared,
) {
  return (one: One, other: Other): Compared =>
    one.status === "available" && other.status === "available"
      ? compare(one as Available<One>, other as Available<Other>)
      : "one of the two views is unavailable";
}

interface Status {
  readonly status: string;
}
type Available<View extends Status> = Extract<View, { status: "available" }>;
type History = Available<Settlements>;

const RECEIPT = ["counterEpoch", "cumulativeWorkUnits", "provenance", "coreStatus"];
const CORE = ["settledThroughRound", "cumulativeWork", "blockHeight", "currentWork", "workPerBlock"];
const FRONTIER = ["settledThroughRound", "cumulativeWork", "blockHeight"];
const BINDING = ["target", "chainId", "deploymentBlock"];
const PAYLOAD = [
  "previousSettledThroughRound",
  "settledThroughRound",
  "activeRoundCount",
  "workAdded",
  "completedBlockCount",
  "firstCompletedBlock",
  "lastCompletedBlock",
  "cumulativeWork",
  "blockHeight",
];
const COUNTS = ["settlementCount", "activeRoundCount", "workAdded", "completedBlockCount"] as const;
const HISTORY = ["range", "window", "summary", "recentSettlements", "buckets"];
const ACTIVE = ["preparing", "submitted", "retrying"];
const NOW: Source = ["settlements", "range=now"];
const QUEUE: Source = ["settlements", "range=now&queue=1"];
const LONGER = { "24h": "7d", "7d": "30d", "30d": "now" } as const;

const AGREEMENTS: readonly Agreement[] = [
  ...(["modules", "process", "onchain"] as const).map((route) => ({
    rule: "between/receipt" as const,
    sources: [["telemetry"], [route]] as const,
    compare: (one: Telemetry, other: Telemetry) => differences(one, other, ["installationId"]),
  })),
  { rule: "between/receipt", sources: [["telemetry"], ["process"]], compare: sameReceipt },
  {
    rule: "between/receipt",
    sources: [["telemetry"], ["installation-telemetry"]],
    compare: (one: Telemetry, other: Telemetry) =>
      one.installationId === other.installationId
        ? differences(one, other, Object.keys(one))
        : "another installation than the configured one is read",
  },
  {
    rule: "between/statistics",
    sources: [
      ["statistics", "range=7d"],
      ["statistics", "range=30d"],
    ],
    compare: sameDays,
  },
  { rule: "between/chain", sources: [["onchain"], ["process"]], compare: anchorIsCore },
  { rule: "between/chain", sources: [["onchain"], NOW], compare: available(newestIsFrontier) },
  ...[NOW, ["settlements-legacy", "range=now"] as const, ["activity"] as const].map((source) => ({
    rule: "between/chain" as const,
    sources: [["onchain"], source] as const,
    compare: available((one: Available<Onchain>, other: History) => differences(one.chain, other.chain, BINDING)),
  })),
  ...SETTLEMENT_RANGES.map((range) => ({
    rule: "between/settlements" as const,
    sources: [
      ["settlements", `range=${range}`],
      ["settlements-legacy", `range=${range}`],
    ] as const,
    compare: available(sameHistory),
  })),
  ...Object.entries(LONGER).map(([range, longer]) => ({
    rule: "between/settlements" as const,
    sources: [
      ["settlements", `range=${range}`],
      ["settlements", `range=${longer}`],
    ] as const,
    compare: available(isContained),
  })),
  {
    rule: "between/settlements",
    sources: [NOW, QUEUE],
    compare: available((now: History, queue: History) => differences(now, queue, ["chain", "economy", ...HISTORY])),
  },
  { rule: "between/settlements", sources: [["process"], QUEUE], compare: queueIsSubmission },
  {
    rule: "between/settlements",
    sources: [NOW, ["activity", `category=protocol&limit=${ACTIVITY_LIMIT.maximum}`]],
    compare: available(sameSettlements),
  },
];

function sameReceipt(telemetry: Telemetry, process: Process): Difference[] {
  const { measurement } = process;
  if (telemetry.measurement === null || measurement === null) {
    return differences({ measurement: telemetry.measurement }, { measurement }, ["measurement"]);
  }
  return [
    ...differences(telemetry, measurement, ["observedAt", "receivedAt"]),
    ...differences(telemetry.measurement, measurement, RECEIPT),
    ...differences({ freshness: telemetry.status }, measurement, ["freshness"]),
  ];
}

/** The current day may have changed between the two reads, and coverageBps depends on the clock. */
function sameDays(week: Statistics, month: Statistics): Difference[] {
  const known = new Map(month.activity.days.map((day) => [day.date, day]));
  const lifetime = Object.keys(week.lifetime).filter((name) => name !== "coverageBps");
  return [
    ...week.activity.days.slice(0, -1).flatMap((day) => {
      const at = `day ${day.date}`;
      return differences({ [at]: day }, { [at]: known.get(day.date) }, [at]);
    }),
    ...differences(week.lifetime, month.lifetime, lifetime),
    ...differences(week.records, month.records, Object.keys(week.records)),
    ...differences(week, month, ["installationId"]),
  ];
}

function anchorIsCore(onchain: Onchain, { builder }: Process): Compared {
  return available<Onchain, Process["builder"]>(({ core, events }, { anchor }) => {
    const newest = events.find(
      ({ eventName, contractKind }) => eventName === "BatchSettled" && contractKind === "core",
    );
    const ofNewest = newest === undefined ? [] : differences(newest, anchor, ["transactionHash"]);
    return [...differences(core, anchor, CORE), ...ofNewest];
  })(onchain, builder);
}

function newestIsFrontier({ core }: Available<Onchain>, { recentSettlements }: History): Difference[] {
  const [newest] = recentSettlements;
  return newest === undefined ? [] : differences(core, newest, FRONTIER);
}

/** v3 has no mint. JSON omits undefined properties. */
function sameHistory(v4: History, v3: Available<LegacySettlements>): Difference[] {
  const recentSettlements = v4.recentSettlements.map((one) => ({ ...one, mint: undefined }));
  return [...differences({ ...v4, recentSettlements }, v3, HISTORY), ...differences(v4.chain, v3.chain, BINDING)];
}

/** Windows of days begin at noon and end after the present, so the longer one contains the shorter. */
function isContained(shorter: History, longer: History): Difference[] {
  const fewer = COUNTS.filter((name) => BigInt(longer.summary[name]) < BigInt(shorter.summary[name]));
  const [one] = shorter.recentSettlements;
  return [
    ...fewer.map((name) => ({ at: `at least ${name}`, one: shorter.summary[name], other: longer.summary[name] })),
    ...(one === undefined ? [] : differences(one, { ...longer.recentSettlements[0] }, ["transactionHash"])),
  ];
}

function queueIsSubmission({ settlementQueue: queue, builder }: Process, history: Settlements): Compared {
  if (queue.status !== "available" || builder.status !== "available" || history.status !== "available") {
    return "one of the two views is unavailable";
  }
  const { queueProjection: projection } = history;
  if (projection === undefined) return "there is no queue projection";
  const { anchor } = builder;
  const { latestSubmission: latest } = queue;
  // If an older submission is the active one, the queue is not comparable.
  const isActive = latest !== null && ACTIVE.includes(latest.lifecycle);
  const wanted: Fields = {
    previousSettledThroughRound: anchor.settledThroughRound,
    previousBlockHeight: anchor.blockHeight,
    ...(isActive
      ? {
          settledThroughRound: latest.settledThroughRound,
          activeRoundCount: latest.activeRoundCount,
          blockHeight: latest.expected.blockHeight,
          completedBlockCount: latest.expected.completedBlockCount,
        }
      : {}),
  };
  return differences(wanted, projection, Object.keys(wanted));
}

function sameSettlements({ recentSettlements }: History, { events, nextCursor }: Available<Activity>): Difference[] {
  const settled = events.filter((event) => event.type === "system.settlement_completed");
  // If the page is full, the older events are on the next page.
  const comparable = nextCursor === null ? recentSettlements : recentSettlements.slice(0, settled.length);
  return comparable.flatMap((settlement, index) => {
    const event = settled[index];
    if (event === undefined) return [{ at: "settlement", one: settlement.transactionHash, other: undefined }];
    const source = { ...event.source, ethereumBlockNumber: event.source.blockNumber };
    return [
      ...differences(settlement, event.payload, PAYLOAD),
      ...differences(settlement, source, ["transactionHash", "logIndex", "ethereumBlockNumber"]),
    ];
  });
}

type Item = Observations["items"][number];
const NEWEST_AGAIN_AFTER_MS = [0, 1_500, 3_000, 6_000];

/** The newest observation is telemetry's receipt. `newest` is the last item of a walk; later ones are read after it. */
export async function judgeNewest(run: Run, newest: Item): Promise<void> {
  const [observations, telemetry] = [run.route("observations"), run.route("installation-telemetry")];
  if (observations === undefined || telemetry === undefined) return;
  let item = newest;
  let first: Difference | undefined;
  for (const pause of NEWEST_AGAIN_AFTER_MS) {
    if (pause > 0) await run.environment.pause(pause);
    const body = jsonOf(await run.ask(run.subject(telemetry))) as Telemetry | undefined;
    const page = jsonOf(await run.ask(run.subject(observations, `cursor=${item.cursor}`)));
    const newer = (page as Partial<Observations> | undefined)?.items?.at(-1) ?? item;
    const found = [differencesOf(body, item), differencesOf(body, newer)];
    item = newer;
    [first] = found.find((each) => each.length === 0) ?? found[1] ?? [];
    if (first === undefined) break;
  }
  const check = run.on(`GET ${run.subject(observations, `cursor=${item.cursor}`).target}`);
  check(
    "between/receipt",
    first === undefined,
    `${first?.at} ${text(first?.one)}, as telemetry says`,
    text(first?.other),
  );
}

function differencesOf(telemetry: Telemetry | undefined, item: Item): Difference[] {
  const measurement = telemetry?.measurement ?? null;
  if (telemetry === undefined || measurement === null) return [{ at: "measurement", one: measurement, other: item }];
  const observed = differences(telemetry, item, ["observedAt", "receivedAt", "softwareVersion"]);
  return [...observed, ...differences(measurement, item, ["counterEpoch", "cumulativeWorkUnits", "provenance"])];
}
