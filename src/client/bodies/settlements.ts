/** Made from the schema by test/client/bodies.test.ts: not by hand. */
import type { ChainAddress, ChainHash, DecimalString, Timestamp } from "./values.ts";

export type Settlements =
  | {
      schemaVersion: 4;
      installationId: string;
      status: "available";
      range: "now" | "24h" | "7d" | "30d";
      generatedAt: Timestamp;
      chain: {
        target: string;
        chainId: DecimalString;
        confirmations: "12";
        deploymentBlock: DecimalString;
        indexedThroughBlock: DecimalString;
        safeThroughBlock: DecimalString;
      };
      economy: { releaseId: string; mining: ChainAddress; token: ChainAddress; symbol: string; decimals: 18 };
      window: { startAt: Timestamp; endAt: Timestamp; bucketSeconds: number } | null;
      summary: {
        settlementCount: DecimalString;
        activeRoundCount: DecimalString;
        workAdded: DecimalString;
        completedBlockCount: DecimalString;
        archivedSettlementCount: DecimalString;
      };
      recentSettlements: {
        transactionHash: ChainHash;
        previousSettledThroughRound: DecimalString;
        settledThroughRound: DecimalString;
        activeRoundCount: DecimalString;
        workAdded: DecimalString;
        cumulativeWork: DecimalString;
        firstCompletedBlock: DecimalString | null;
        lastCompletedBlock: DecimalString | null;
        completedBlockCount: DecimalString;
        blockHeight: DecimalString;
        ethereumBlockNumber: DecimalString;
        blockTimestamp: Timestamp;
        logIndex: DecimalString;
        confirmationStatus: "safe";
        mint: { state: "pending" | "confirmed"; amountBaseUnits: DecimalString };
      }[];
      buckets: {
        startAt: Timestamp;
        endAt: Timestamp;
        settlementCount: DecimalString;
        activeRoundCount: DecimalString;
        workAdded: DecimalString;
        completedBlockCount: DecimalString;
      }[];
      queueProjection?: {
        state: "projected";
        previousSettledThroughRound: DecimalString;
        settledThroughRound: DecimalString;
        activeRoundCount: DecimalString;
        previousBlockHeight: DecimalString;
        blockHeight: DecimalString;
        firstCompletedBlock: DecimalString | null;
        lastCompletedBlock: DecimalString | null;
        completedBlockCount: DecimalString;
        amountBaseUnits: DecimalString;
      };
    }
  | {
      schemaVersion: 4;
      installationId: string;
      status: "unavailable";
      range: "now" | "24h" | "7d" | "30d";
      reason: "indexer_disabled" | "not_yet_safe" | "indexer_mismatch" | "indexer_unavailable";
    };
