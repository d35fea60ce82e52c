/** What the views of the settled chain say of one Core state and its batches. */

import { family } from "../../../judge/rule.ts";
import { SETTLEMENT_RANGES } from "../../../resources/settlements/route.ts";
import { type Agreement, differences } from "./agreement.ts";
import {
  anchorIsCore,
  BINDING,
  type History,
  isContained,
  newestIsFrontier,
  type Onchain,
  queueIsSubmission,
  sameHistory,
  sameSettlements,
  unavailable,
} from "./chain-comparisons.ts";

const ONE_PASS = "publish all views of the chain from one pass, and let no cache keep one longer than the others";

export const CHAIN_AGREES = family("agreement", {
  "process-onchain": ["the builder's anchor is the safe Core state", ONE_PASS, "docs/spec/api.md#process-builder"],
  "onchain-settlements": [
    "the newest settlement is the Core's frontier",
    ONE_PASS,
    "docs/spec/api.md#settlements-rules",
  ],
  "settlements-versions": ["v4 and v3 hold the same history", ONE_PASS, "docs/spec/api.md#settlements-legacy"],
  "settlements-ranges": ["a longer range holds all of a shorter one", ONE_PASS, "docs/spec/api.md#settlements"],
  "settlements-queue": ["queue=1 is range=now with the projection", ONE_PASS, "docs/spec/api.md#settlements"],
  "queue-process": [
    "the queue's projection is the active submission",
    "publish settlements when the submission changes",
    "docs/spec/api.md#settlements-queue",
  ],
  "settlements-activity": ["the feed's settlements are the history's", ONE_PASS, "docs/spec/api.md#activity"],
  "chain-binding": [
    "every view reads one deployment",
    "configure one deployment for all views",
    "docs/spec/api.md#onchain",
  ],
});

const NOW = { route: "settlements", query: "range=now" } as const;

export const CHAIN_AGREEMENTS: readonly Agreement[] = [
  {
    rule: CHAIN_AGREES["process-onchain"],
    sources: [{ route: "onchain" }, { route: "process" }],
    compare: anchorIsCore,
  },
  { rule: CHAIN_AGREES["onchain-settlements"], sources: [{ route: "onchain" }, NOW], compare: newestIsFrontier },
  ...SETTLEMENT_RANGES.map((range) => ({
    rule: CHAIN_AGREES["settlements-versions"],
    sources: [
      { route: "settlements", query: `range=${range}` },
      { route: "settlements-legacy", query: `range=${range}` },
    ] as const,
    compare: sameHistory,
  })),
  ...(["24h", "7d", "30d"] as const).map((range, index) => ({
    rule: CHAIN_AGREES["settlements-ranges"],
    sources: [
      { route: "settlements", query: `range=${range}` },
      { route: "settlements", query: `range=${["7d", "30d", "now"][index]}` },
    ] as const,
    compare: isContained,
  })),
  {
    rule: CHAIN_AGREES["settlements-queue"],
    sources: [NOW, { route: "settlements", query: "range=now&queue=1" }],
    compare: (now: History, queue: History) =>
      unavailable(now, queue) ??
      differences(now, queue, ["chain", "economy", "window", "summary", "recentSettlements", "buckets"]),
  },
  {
    rule: CHAIN_AGREES["queue-process"],
    sources: [{ route: "process" }, { route: "settlements", query: "range=now&queue=1" }],
    compare: queueIsSubmission,
  },
  {
    rule: CHAIN_AGREES["settlements-activity"],
    sources: [NOW, { route: "activity", query: "category=protocol&limit=100" }],
    compare: sameSettlements,
  },
  ...[NOW, { route: "settlements-legacy", query: "range=now" }, { route: "activity" }].map((source) => ({
    rule: CHAIN_AGREES["chain-binding"],
    sources: [{ route: "onchain" }, source as { route: "activity" }] as const,
    compare: (one: Onchain, other: History) => unavailable(one, other) ?? differences(one.chain, other.chain, BINDING),
  })),
];
