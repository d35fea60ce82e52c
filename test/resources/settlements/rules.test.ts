/** Each rule of docs/spec/api.md#settlements-rules, with a body that breaks only this rule. */
import { expect, test } from "vitest";
import { advanceChainViews } from "../../../src/projections/advance.ts";
import { buildSettlements } from "../../../src/resources/settlements/build.ts";
import { HISTORY_RULES, settlementsSchema } from "../../../src/resources/settlements/contract.ts";
import { batchEvents, chainDb, projectionsDb, regularBatches, settledChain } from "../../support/chain/chain-db.ts";
import { AT } from "../../support/chain/chain-state.ts";

const BATCHES = regularBatches(4, 1, 3);

interface Body {
  generatedAt: string;
  chain: Record<string, string>;
  window: { startAt: string; endAt: string; bucketSeconds: number } | null;
  summary: Record<string, string>;
  recentSettlements: (Record<string, string | null> & { mint: Record<string, string> })[];
  buckets: Record<string, string>[];
  queueProjection: Record<string, string | null>;
}

function body(variant: "24h" | "queue"): Body {
  const chain = settledChain(BATCHES, { mintedThroughRound: 32n });
  const projections = projectionsDb();
  advanceChainViews(projections, { chain, chainDb: chainDb(batchEvents(BATCHES)) });
  const candidate = {
    previousSettledThroughRound: 64n,
    settledThroughRound: 80n,
    activeRoundCount: 3,
    expected: { blockHeight: 4n, completedBlockCount: 2n },
  };
  return JSON.parse(
    buildSettlements(variant, { installationId: "wheel-1", chain, projections }, candidate, AT).body,
  ) as Body;
}

const recent = (given: Body, index: number) => given.recentSettlements[index] as Record<string, string | null>;

const FAULTS: [rule: string, variant: "24h" | "queue", fault: (given: Body) => void][] = [
  ["the safe block is the indexed one less 11", "24h", ({ chain }) => (chain.indexedThroughBlock = "512")],
  [
    "the window is the range's and holds generatedAt",
    "24h",
    (given) => (given.generatedAt = "2026-11-20T11:00:00.000Z"),
  ],
  ["the buckets fill the window", "24h", ({ buckets }) => buckets.shift()],
  ["the buckets sum up to the summary", "24h", ({ buckets }) => Object.assign(buckets[0] ?? {}, { workAdded: "1" })],
  ["archived are the settlements that are not returned", "queue", ({ summary }) => (summary.settlementCount = "5")],
  ["the newest settlements sum up to no more than the summary", "queue", ({ summary }) => (summary.workAdded = "1")],
  ["settlements are newest first", "queue", (given) => (recent(given, 1).ethereumBlockNumber = "131")],
  [
    "a settlement lies in the window and at or below the safe block",
    "queue",
    (given) => (recent(given, 0).ethereumBlockNumber = "501"),
  ],
  [
    "each batch advances its round frontier",
    "queue",
    (given) => (recent(given, 3).settledThroughRound = recent(given, 2).previousSettledThroughRound = "0"),
  ],
  ["completed blocks end at blockHeight", "queue", (given) => (recent(given, 1).lastCompletedBlock = "9")],
  ["adjacent batches continue each other", "queue", (given) => (recent(given, 0).previousSettledThroughRound = "47")],
  [
    "mints are confirmed from the oldest on",
    "queue",
    (given) => Object.assign(given.recentSettlements[0]?.mint ?? {}, { state: "confirmed" }),
  ],
  [
    "a queue projection starts at the safe frontier of range=now",
    "queue",
    (given) => (given.queueProjection.previousSettledThroughRound = "63"),
  ],
];

test.each(FAULTS)("the schema rejects a body that breaks %s", (rule, variant, fault) => {
  const given = body(variant);
  expect(settlementsSchema.safeParse(given).success).toBe(true);
  fault(given);
  const messages = settlementsSchema.safeParse(given).error?.issues.map(({ message }) => message);
  expect(messages).toEqual([rule]);
});

test("every rule has a fault", () => {
  const named = new Set(FAULTS.map(([rule]) => rule));
  expect(HISTORY_RULES.filter(([rule]) => !named.has(rule))).toEqual([]);
});
