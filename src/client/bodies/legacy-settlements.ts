/** Made from the schema by test/client/bodies.test.ts: not by hand. */
import type { ChainHash, DecimalString, Timestamp } from "./values.ts";

export type LegacySettlements =
  | {
      schemaVersion: 3;
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
      }[];
      buckets: {
        startAt: Timestamp;
        endAt: Timestamp;
        settlementCount: DecimalString;
        activeRoundCount: DecimalString;
        workAdded: DecimalString;
        completedBlockCount: DecimalString;
      }[];
    }
  | {
      schemaVersion: 3;
      installationId: string;
      status: "unavailable";
      range: "now" | "24h" | "7d" | "30d";
      reason: "indexer_disabled" | "not_yet_safe" | "indexer_mismatch" | "indexer_unavailable";
    };
