/** The contract of settlements (v4): bodies, rules and texts, and what v3 shares (docs/spec/api.md#settlements). */
import * as z from "zod";
import { uint256String } from "../../values/decimal.ts";
import { elementAt } from "../../values/unknown.ts";
import type { Contract } from "../contract.ts";
import {
  CHAIN_UNAVAILABLE,
  chainAddress,
  chainHash,
  chainPointFields,
  HEIGHTS_RULE,
  heightsAgree,
  installationIdField,
  isWithin,
  timestamp,
} from "../fields.ts";
import { LAYOUTS, MAX_RECENT } from "./history.ts";
import { SETTLEMENT_RANGES } from "./route.ts";

const totals = {
  settlementCount: uint256String,
  activeRoundCount: uint256String,
  workAdded: uint256String,
  completedBlockCount: uint256String,
};

/** Fields in the specification's order; v4 adds the mint. */
export const recentFields = {
  transactionHash: chainHash,
  previousSettledThroughRound: uint256String,
  settledThroughRound: uint256String,
  activeRoundCount: uint256String,
  workAdded: uint256String,
  cumulativeWork: uint256String,
  firstCompletedBlock: uint256String.nullable(),
  lastCompletedBlock: uint256String.nullable(),
  completedBlockCount: uint256String,
  blockHeight: uint256String,
  ethereumBlockNumber: uint256String,
  blockTimestamp: timestamp,
  logIndex: uint256String,
  confirmationStatus: z.literal("safe"),
};

export const envelopeFields = {
  installationId: installationIdField,
  status: z.literal("available"),
  range: z.enum(SETTLEMENT_RANGES),
  generatedAt: timestamp,
  chain: z.strictObject(chainPointFields),
};

export const historyFields = {
  window: z.strictObject({ startAt: timestamp, endAt: timestamp, bucketSeconds: z.number().int() }).nullable(),
  summary: z.strictObject({ ...totals, archivedSettlementCount: uint256String }),
};

export const buckets = z.array(z.strictObject({ startAt: timestamp, endAt: timestamp, ...totals })).max(30);

export function recentSettlements<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.array(z.strictObject(shape)).max(MAX_RECENT);
}

export const unavailableFields = {
  installationId: installationIdField,
  status: z.literal("unavailable"),
  range: z.enum(SETTLEMENT_RANGES),
  reason: z.enum(CHAIN_UNAVAILABLE),
};

const legacyHistory = z.strictObject({
  ...envelopeFields,
  ...historyFields,
  recentSettlements: recentSettlements(recentFields),
  buckets,
});

/** The fields that the rules need. v4 has all fields of v3. */
type HistoryBody = z.infer<typeof legacyHistory>;
type RecentBody = HistoryBody["recentSettlements"][number];

type Rule = readonly [name: string, holds: (body: HistoryBody) => boolean];

/** The rules of docs/spec/api.md#settlements-rules for both versions. A body that breaks one is not published. */
export const HISTORY_RULES: readonly Rule[] = [
  [HEIGHTS_RULE, ({ chain }) => heightsAgree(chain)],
  ["the window is the range's and holds generatedAt", windowMatchesRange],
  ["the buckets fill the window", bucketsFillWindow],
  ["the buckets sum up to the summary", bucketsSumUp],
  ["archived are the settlements that are not returned", archivedMatches],
  ["the newest settlements sum up to no more than the summary", recentWithinSummary],
  ["settlements are newest first", isNewestFirst],
  ["a settlement lies in the window and at or below the safe block", recentInBounds],
  ["each batch advances its round frontier", ({ recentSettlements }) => recentSettlements.every(advances)],
  ["completed blocks end at blockHeight", ({ recentSettlements }) => recentSettlements.every(blocksEndAtHeight)],
  ["adjacent batches continue each other", adjacentContinue],
];

const TOTALS = ["settlementCount", "activeRoundCount", "workAdded", "completedBlockCount"] as const;

function windowMatchesRange({ range, window, generatedAt }: HistoryBody): boolean {
  if (range === "now" || window === null) return range === "now" && window === null;
  const { bucketCount, bucketMs } = LAYOUTS[range];
  const [start, end, generated] = [window.startAt, window.endAt, generatedAt].map((text) => Date.parse(text));
  return (
    window.bucketSeconds * 1000 === bucketMs &&
    Number(end) - Number(start) === bucketCount * bucketMs &&
    end === LAYOUTS[range].endAfter(Number(generated))
  );
}

function bucketsFillWindow({ range, window, buckets }: HistoryBody): boolean {
  if (range === "now" || window === null) return buckets.length === 0;
  return (
    buckets.length === LAYOUTS[range].bucketCount &&
    buckets[0]?.startAt === window.startAt &&
    buckets.at(-1)?.endAt === window.endAt &&
    buckets.every(
      ({ startAt, endAt }, index) =>
        Date.parse(endAt) - Date.parse(startAt) === window.bucketSeconds * 1000 &&
        (buckets[index + 1]?.startAt ?? endAt) === endAt,
    )
  );
}

function bucketsSumUp({ window, buckets, summary }: HistoryBody): boolean {
  return (
    window === null || TOTALS.every((name) => sum(buckets.map((bucket) => bucket[name])) === BigInt(summary[name]))
  );
}

function archivedMatches({ summary, recentSettlements }: HistoryBody): boolean {
  return BigInt(summary.archivedSettlementCount) === BigInt(summary.settlementCount) - BigInt(recentSettlements.length);
}

/** The recent batches' sums do not exceed the summary. They are equal if no batch is archived. */
function recentWithinSummary({ summary, recentSettlements }: HistoryBody): boolean {
  return (["activeRoundCount", "workAdded", "completedBlockCount"] as const).every((name) => {
    const recent = sum(recentSettlements.map((settlement) => settlement[name]));
    return summary.archivedSettlementCount === "0" ? recent === BigInt(summary[name]) : recent <= BigInt(summary[name]);
  });
}

function isNewestFirst({ recentSettlements }: HistoryBody): boolean {
  return pairs(recentSettlements).every(([newer, older]) => {
    const blocks = BigInt(newer.ethereumBlockNumber) - BigInt(older.ethereumBlockNumber);
    return blocks > 0n || (blocks === 0n && BigInt(newer.logIndex) > BigInt(older.logIndex));
  });
}

function recentInBounds({ chain, window, recentSettlements }: HistoryBody): boolean {
  return recentSettlements.every(
    ({ ethereumBlockNumber, blockTimestamp }) =>
      isWithin(chain, ethereumBlockNumber) &&
      (window === null || (window.startAt <= blockTimestamp && blockTimestamp < window.endAt)),
  );
}

function advances({ previousSettledThroughRound, settledThroughRound }: RecentBody): boolean {
  return BigInt(settledThroughRound) > BigInt(previousSettledThroughRound);
}

interface CompletedBlocks {
  readonly firstCompletedBlock: string | null;
  readonly lastCompletedBlock: string | null;
  readonly completedBlockCount: string;
  readonly blockHeight: string;
}

/** True if a positive count has inclusive bounds that end at blockHeight, or a count of 0 has no bounds. */
export function blocksEndAtHeight(blocks: CompletedBlocks): boolean {
  const { firstCompletedBlock: first, lastCompletedBlock: last, completedBlockCount, blockHeight } = blocks;
  if (completedBlockCount === "0") return first === null && last === null;
  return first !== null && last === blockHeight && BigInt(last) - BigInt(first) + 1n === BigInt(completedBlockCount);
}

function adjacentContinue({ recentSettlements }: HistoryBody): boolean {
  return pairs(recentSettlements).every(
    ([newer, older]) =>
      newer.previousSettledThroughRound === older.settledThroughRound &&
      BigInt(newer.cumulativeWork) - BigInt(newer.workAdded) === BigInt(older.cumulativeWork) &&
      BigInt(newer.blockHeight) - BigInt(newer.completedBlockCount) === BigInt(older.blockHeight),
  );
}

function pairs<T>(items: readonly T[]): [T, T][] {
  return items.slice(1).map((item, index) => [elementAt(items, index), item]);
}

function sum(texts: readonly string[]): bigint {
  return texts.reduce((total, text) => total + BigInt(text), 0n);
}

const queueProjection = z.strictObject({
  state: z.literal("projected"),
  previousSettledThroughRound: uint256String,
  settledThroughRound: uint256String,
  activeRoundCount: uint256String,
  previousBlockHeight: uint256String,
  blockHeight: uint256String,
  firstCompletedBlock: uint256String.nullable(),
  lastCompletedBlock: uint256String.nullable(),
  completedBlockCount: uint256String,
  amountBaseUnits: uint256String,
});

const available = z.strictObject({
  schemaVersion: z.literal(4),
  ...envelopeFields,
  economy: z.strictObject({
    releaseId: z.string(),
    mining: chainAddress,
    token: chainAddress,
    symbol: z.string(),
    decimals: z.literal(18),
  }),
  ...historyFields,
  recentSettlements: recentSettlements({
    ...recentFields,
    mint: z.strictObject({ state: z.enum(["pending", "confirmed"]), amountBaseUnits: uint256String }),
  }),
  buckets,
  queueProjection: queueProjection.optional(),
});

type Available = z.infer<typeof available>;

const ownRules = available
  .refine(mintsInOrder, "mints are confirmed from the oldest on")
  .refine(queueStartsAtFrontier, "a queue projection starts at the safe frontier of range=now");

export const settlementsSchema = z.discriminatedUnion("status", [
  HISTORY_RULES.reduce((schema, [name, holds]) => schema.refine(holds, name), ownRules),
  z.strictObject({ schemaVersion: z.literal(4), ...unavailableFields }),
]);

function mintsInOrder({ recentSettlements: settlements }: Available): boolean {
  const newestConfirmed = settlements.findIndex(({ mint }) => mint.state === "confirmed");
  return newestConfirmed === -1 || settlements.slice(newestConfirmed).every(({ mint }) => mint.state === "confirmed");
}

function queueStartsAtFrontier({ range, queueProjection: queue, recentSettlements: settlements }: Available): boolean {
  if (queue === undefined) return true;
  const [newest] = settlements;
  return (
    range === "now" &&
    queue.previousSettledThroughRound === (newest?.settledThroughRound ?? "0") &&
    queue.previousBlockHeight === (newest?.blockHeight ?? "0") &&
    BigInt(queue.blockHeight) - BigInt(queue.previousBlockHeight) === BigInt(queue.completedBlockCount) &&
    blocksEndAtHeight(queue)
  );
}

/** The documented rules of both versions. */
export const SETTLEMENT_RULES = [
  "archivedSettlementCount is settlementCount minus the number of recentSettlements. docs/spec/api.md#settlements-rules 1",
  "The buckets fill the window and add up to summary; window is null and buckets empty for now. docs/spec/api.md#settlements-rules 2",
  "Settlements are newest first, inside the window, at or below the safe block. docs/spec/api.md#settlements-rules 3",
  "Each batch advances its frontier; completed blocks end at blockHeight, and their bounds are null exactly when the count is 0. docs/spec/api.md#settlements-rules 4",
  "Neighbours continue each other in rounds, work and blocks. docs/spec/api.md#settlements-rules 5",
] as const;

export const settlementsContract = {
  operation: "settlements",
  body: { name: "Settlements", schema: settlementsSchema },
  tag: "Chain",
  summary: "History of settlement batches",
  description: "With the state of each batch's reward mint. `now` means the totals of all time.",
  rules: [
    ...SETTLEMENT_RULES,
    "Mints are confirmed from the oldest on; a pending amount is a projection. docs/spec/api.md#settlements-rules 6",
    "queueProjection is present with queue=1 only, and absent if there is none; it starts at the safe frontier. docs/spec/api.md#settlements-rules 7",
  ],
  clientParameters: "SettlementsParameters",
} as const satisfies Contract;
