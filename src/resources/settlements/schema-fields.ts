/** Shapes that settlements v4 and v3 share (docs/spec/api.md#settlements). */
import * as z from "zod";
import { uint256String } from "../../values/decimal.ts";
import { CHAIN_UNAVAILABLE, chainPointFields } from "../chain-fields.ts";
import { chainHash, installationIdField, timestamp } from "../fields.ts";
import { MAX_RECENT } from "./history/history.ts";
import { SETTLEMENT_RANGES } from "./route.ts";

const totals = {
  settlementCount: uint256String,
  activeRoundCount: uint256String,
  workAdded: uint256String,
  completedBlockCount: uint256String,
};

/** In the order of the API's table; v4 adds the mint. */
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

/** The fields that the rules need: v4 has all that v3 has. */
export type HistoryBody = z.infer<typeof legacyHistory>;
export type RecentBody = HistoryBody["recentSettlements"][number];
