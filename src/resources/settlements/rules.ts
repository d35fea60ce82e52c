/**
 * The rules of docs/spec/api.md#settlements-rules, which hold for v3 as well: a body that breaks one is never
 * published.
 */
import { heightsAgree, isWithin } from "../chain-fields.ts";
import type { HistoryBody, RecentBody } from "./schema-fields.ts";
import { LAYOUTS } from "./window.ts";

type Rule = readonly [name: string, holds: (body: HistoryBody) => boolean];

export const HISTORY_RULES: readonly Rule[] = [
  ["the safe block is the indexed one less 11", ({ chain }) => heightsAgree(chain)],
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

/** If none is archived they are the summary. */
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

/** Positive counts have inclusive bounds ending at blockHeight, a count of none has no bounds. */
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
  return items.slice(1).map((item, index) => [items[index] as T, item]);
}

function sum(texts: readonly string[]): bigint {
  return texts.reduce((total, text) => total + BigInt(text), 0n);
}
