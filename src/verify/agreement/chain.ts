/** Checks that the views of the settled chain agree on one Core state and its batches. */

import type { Activity, LegacySettlements, Onchain, Process, Settlements } from "../../client/generated/bodies.ts";
import { ACTIVITY_LIMIT } from "../../resources/activity/route.ts";
import { SETTLEMENT_RANGES } from "../../resources/settlements/route.ts";
import { AGREES } from "../rules.ts";
import { type Agreement, type Difference, differences } from "./agreement.ts";

/** The available variant of a view. `unavailable` checks for it first. */
type Available<View extends { readonly status: string }> = Extract<View, { status: "available" }>;
type OnchainView = Available<Onchain>;
type History = Available<Settlements>;
type ChainViews = {
  readonly builder: Available<Process["builder"]>;
  readonly settlementQueue: Available<Process["settlementQueue"]>;
};

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
const ACTIVE = ["preparing", "submitted", "retrying"];
const SETTLED = "system.settlement_completed";
const NOW = { route: "settlements", query: "range=now" } as const;

export const CHAIN_AGREEMENTS: readonly Agreement[] = [
  {
    rule: AGREES["process-onchain"],
    sources: [{ route: "onchain" }, { route: "process" }],
    compare: anchorIsCore,
  },
  { rule: AGREES["onchain-settlements"], sources: [{ route: "onchain" }, NOW], compare: newestIsFrontier },
  ...SETTLEMENT_RANGES.map((range) => ({
    rule: AGREES["settlements-versions"],
    sources: [
      { route: "settlements", query: `range=${range}` },
      { route: "settlements-legacy", query: `range=${range}` },
    ] as const,
    compare: sameHistory,
  })),
  ...(["24h", "7d", "30d"] as const).map((range, index) => ({
    rule: AGREES["settlements-ranges"],
    sources: [
      { route: "settlements", query: `range=${range}` },
      { route: "settlements", query: `range=${["7d", "30d", "now"][index]}` },
    ] as const,
    compare: isContained,
  })),
  {
    rule: AGREES["settlements-queue"],
    sources: [NOW, { route: "settlements", query: "range=now&queue=1" }],
    compare: (now: History, queue: History) =>
      unavailable(now, queue) ??
      differences(now, queue, ["chain", "economy", "window", "summary", "recentSettlements", "buckets"]),
  },
  {
    rule: AGREES["queue-process"],
    sources: [{ route: "process" }, { route: "settlements", query: "range=now&queue=1" }],
    compare: queueIsSubmission,
  },
  {
    rule: AGREES["settlements-activity"],
    sources: [NOW, { route: "activity", query: `category=protocol&limit=${ACTIVITY_LIMIT.maximum}` }],
    compare: sameSettlements,
  },
  ...[NOW, { route: "settlements-legacy", query: "range=now" }, { route: "activity" }].map((source) => ({
    rule: AGREES["chain-binding"],
    sources: [{ route: "onchain" }, source as { route: "activity" }] as const,
    compare: (one: OnchainView, other: History) =>
      unavailable(one, other) ?? differences(one.chain, other.chain, BINDING),
  })),
];

function unavailable(...bodies: readonly { readonly status: string }[]): string | undefined {
  return bodies.some(({ status }) => status !== "available") ? "one of the two views is unavailable" : undefined;
}

function anchorIsCore(onchain: OnchainView, { builder }: ChainViews): Difference[] | string {
  const cannot = unavailable(onchain, builder);
  if (cannot !== undefined) return cannot;
  const newest = onchain.events.find(
    ({ eventName, contractKind }) => eventName === "BatchSettled" && contractKind === "core",
  );
  return [
    ...differences(onchain.core, builder.anchor, CORE),
    ...(newest === undefined ? [] : differences(newest, builder.anchor, ["transactionHash"])),
  ];
}

function newestIsFrontier(onchain: OnchainView, history: History): Difference[] | string {
  const cannot = unavailable(onchain, history);
  if (cannot !== undefined) return cannot;
  const [newest] = history.recentSettlements;
  return newest === undefined ? [] : differences(onchain.core, newest, FRONTIER);
}

function sameHistory(v4: History, v3: Available<LegacySettlements>): Difference[] | string {
  const cannot = unavailable(v4, v3);
  if (cannot !== undefined) return cannot;
  const { recentSettlements } = v4;
  // v3 has no mint. JSON omits undefined properties.
  const comparable = { ...v4, recentSettlements: recentSettlements.map((one) => ({ ...one, mint: undefined })) };
  return [
    ...differences(comparable, v3, ["range", "window", "summary", "recentSettlements", "buckets"]),
    ...differences(v4.chain, v3.chain, BINDING),
  ];
}

/** Windows of days begin at noon and end after the present, so the longer one contains the shorter. */
function isContained(shorter: History, longer: History): Difference[] | string {
  const cannot = unavailable(shorter, longer);
  if (cannot !== undefined) return cannot;
  const fewer = COUNTS.filter((name) => BigInt(longer.summary[name]) < BigInt(shorter.summary[name]));
  const [one, other] = [shorter.recentSettlements[0], longer.recentSettlements[0]];
  return [
    ...fewer.map((name) => ({ what: `at least ${name}`, one: shorter.summary[name], other: longer.summary[name] })),
    ...(one === undefined
      ? []
      : differences({ newest: one.transactionHash }, { newest: other?.transactionHash }, ["newest"])),
  ];
}

function queueIsSubmission({ settlementQueue, builder }: ChainViews, history: History): Difference[] | string {
  const cannot = unavailable(settlementQueue, builder, history);
  if (cannot !== undefined) return cannot;
  const { queueProjection: projection } = history;
  if (projection === undefined) return "there is no queue projection";
  const { anchor } = builder;
  const wanted: Record<string, unknown> = {
    previousSettledThroughRound: anchor.settledThroughRound,
    previousBlockHeight: anchor.blockHeight,
  };
  const { latestSubmission: latest } = settlementQueue;
  // If an older submission is the active one, the queue is not comparable.
  if (latest !== null && ACTIVE.includes(latest.lifecycle)) {
    Object.assign(wanted, {
      settledThroughRound: latest.settledThroughRound,
      activeRoundCount: latest.activeRoundCount,
      blockHeight: latest.expected.blockHeight,
      completedBlockCount: latest.expected.completedBlockCount,
    });
  }
  return differences(wanted, projection, Object.keys(wanted));
}

function sameSettlements(history: History, feed: Available<Activity>): Difference[] | string {
  const cannot = unavailable(history, feed);
  if (cannot !== undefined) return cannot;
  const settled = feed.events.filter((event) => event.type === SETTLED);
  // If the page is full, the older events are on the next page.
  const comparable =
    feed.nextCursor === null ? history.recentSettlements : history.recentSettlements.slice(0, settled.length);
  return comparable.flatMap((settlement, index) => {
    const event = settled[index];
    if (event === undefined) return [{ what: "settlement", one: settlement.transactionHash, other: undefined }];
    return [
      ...differences(settlement, event.payload, PAYLOAD),
      ...differences(settlement, { ...event.source, ethereumBlockNumber: event.source.blockNumber }, [
        "transactionHash",
        "logIndex",
        "ethereumBlockNumber",
      ]),
    ];
  });
}
