/** Made from the schema by test/client/bodies.test.ts: not by hand. */
import type { CalendarDate, ChainAddress, ChainHash, DecimalString, Timestamp, UuidString } from "./values.ts";

export type Activity =
  | {
      schemaVersion: 1;
      installationId: string;
      status: "available";
      generatedAt: Timestamp;
      catalogVersion: "public-activity-v1";
      category: "all" | "protocol" | "players" | "measurement";
      chain: {
        target: string;
        chainId: DecimalString;
        confirmations: "12";
        deploymentBlock: DecimalString;
        economyDeploymentBlock: DecimalString;
        indexedThroughBlock: DecimalString;
        safeThroughBlock: DecimalString;
        safeBlockHash: ChainHash;
        safeBlockTimestamp: Timestamp;
      };
      release: { id: string; protocolRevision: string; rewardModelRevision: string };
      identities: {
        core: ChainAddress;
        tokenFactory: ChainAddress;
        mining: ChainAddress;
        token: ChainAddress;
        collection: ChainAddress;
        miningImplementation: ChainAddress;
        miningImplementationVersion: string;
        miningStorageLayoutDigest: ChainHash;
      };
      activeEventTypes: string[];
      events: (
        | {
            id: string;
            eventVersion: 1;
            type: "system.settlement_completed";
            occurredAt: Timestamp;
            recordedAt: Timestamp;
            source: {
              kind: "chain";
              chainId: DecimalString;
              target: string;
              releaseId: string;
              contractAddress: ChainAddress;
              blockNumber: DecimalString;
              blockHash: ChainHash;
              transactionHash: ChainHash;
              transactionIndex: DecimalString;
              logIndex: DecimalString;
              confirmationStatus: "safe";
            };
            payload: {
              previousSettledThroughRound: DecimalString;
              settledThroughRound: DecimalString;
              activeRoundCount: DecimalString;
              workAdded: DecimalString;
              completedBlockCount: DecimalString;
              firstCompletedBlock: DecimalString | null;
              lastCompletedBlock: DecimalString | null;
              cumulativeWork: DecimalString;
              blockHeight: DecimalString;
            };
          }
        | {
            id: string;
            eventVersion: 1;
            type: "system.round_released";
            occurredAt: Timestamp;
            recordedAt: Timestamp;
            source: {
              kind: "chain";
              chainId: DecimalString;
              target: string;
              releaseId: string;
              contractAddress: ChainAddress;
              blockNumber: DecimalString;
              blockHash: ChainHash;
              transactionHash: ChainHash;
              transactionIndex: DecimalString;
              logIndex: DecimalString;
              confirmationStatus: "safe";
            };
            payload: { round: DecimalString; amountBaseUnits: DecimalString };
          }
        | {
            id: string;
            eventVersion: 1;
            type: "player.unit_minted";
            occurredAt: Timestamp;
            recordedAt: Timestamp;
            source: {
              kind: "chain";
              chainId: DecimalString;
              target: string;
              releaseId: string;
              contractAddress: ChainAddress;
              blockNumber: DecimalString;
              blockHash: ChainHash;
              transactionHash: ChainHash;
              transactionIndex: DecimalString;
              logIndex: DecimalString;
              confirmationStatus: "safe";
            };
            payload: { player: ChainAddress; unitId: DecimalString; unitType: DecimalString };
          }
        | {
            id: string;
            eventVersion: 1;
            type: "player.units_merged";
            occurredAt: Timestamp;
            recordedAt: Timestamp;
            source: {
              kind: "chain";
              chainId: DecimalString;
              target: string;
              releaseId: string;
              contractAddress: ChainAddress;
              blockNumber: DecimalString;
              blockHash: ChainHash;
              transactionHash: ChainHash;
              transactionIndex: DecimalString;
              logIndex: DecimalString;
              confirmationStatus: "safe";
            };
            payload: {
              player: ChainAddress;
              resultUnitId: DecimalString;
              consumedUnitIds: DecimalString[];
              resultUnitType: DecimalString;
            };
          }
        | {
            id: string;
            eventVersion: 1;
            type: "player.rewards_claimed";
            occurredAt: Timestamp;
            recordedAt: Timestamp;
            source: {
              kind: "chain";
              chainId: DecimalString;
              target: string;
              releaseId: string;
              contractAddress: ChainAddress;
              blockNumber: DecimalString;
              blockHash: ChainHash;
              transactionHash: ChainHash;
              transactionIndex: DecimalString;
              logIndex: DecimalString;
              confirmationStatus: "safe";
            };
            payload: { player: ChainAddress; throughRound: DecimalString; amountBaseUnits: DecimalString };
          }
        | {
            id: string;
            eventVersion: 1;
            type: "measurement.lifetime_distance_milestone";
            occurredAt: Timestamp;
            recordedAt: Timestamp;
            source: {
              kind: "measurement";
              installationId: string;
              cursor: string;
              telemetryId: UuidString;
              observedAt: Timestamp;
              receivedAt: Timestamp;
              policyVersion: "measurement-policy-v1";
              disposition: "accepted";
            };
            payload: { milestoneMm: number; distanceMm: number };
          }
        | {
            id: string;
            eventVersion: 1;
            type: "measurement.daily_distance_milestone";
            occurredAt: Timestamp;
            recordedAt: Timestamp;
            source: {
              kind: "measurement";
              installationId: string;
              cursor: string;
              telemetryId: UuidString;
              observedAt: Timestamp;
              receivedAt: Timestamp;
              policyVersion: "measurement-policy-v1";
              disposition: "accepted";
            };
            payload: { milestoneMm: number; distanceMm: number; date: CalendarDate };
          }
        | {
            id: string;
            eventVersion: 1;
            type: "measurement.speed_milestone";
            occurredAt: Timestamp;
            recordedAt: Timestamp;
            source: {
              kind: "measurement";
              installationId: string;
              cursor: string;
              telemetryId: UuidString;
              observedAt: Timestamp;
              receivedAt: Timestamp;
              policyVersion: "measurement-policy-v1";
              disposition: "accepted";
            };
            payload: { milestoneMmPerSecond: number; speedMmPerSecond: number };
          }
        | {
            id: string;
            eventVersion: 1;
            type: "measurement.speed_record";
            occurredAt: Timestamp;
            recordedAt: Timestamp;
            source: {
              kind: "measurement";
              installationId: string;
              cursor: string;
              telemetryId: UuidString;
              observedAt: Timestamp;
              receivedAt: Timestamp;
              policyVersion: "measurement-policy-v1";
              disposition: "accepted";
            };
            payload: { speedMmPerSecond: number; previousSpeedMmPerSecond: number };
          }
        | {
            id: string;
            eventVersion: 1;
            type: "measurement.distance_streak";
            occurredAt: Timestamp;
            recordedAt: Timestamp;
            source: {
              kind: "measurement";
              installationId: string;
              cursor: string;
              telemetryId: UuidString;
              observedAt: Timestamp;
              receivedAt: Timestamp;
              policyVersion: "measurement-policy-v1";
              disposition: "accepted";
            };
            payload: { days: number; startDate: CalendarDate; endDate: CalendarDate };
          }
        | {
            id: string;
            eventVersion: 1;
            type: "measurement.rpm_record";
            occurredAt: Timestamp;
            recordedAt: Timestamp;
            source: {
              kind: "measurement";
              installationId: string;
              cursor: string;
              telemetryId: UuidString;
              observedAt: Timestamp;
              receivedAt: Timestamp;
              policyVersion: "measurement-policy-v1";
              disposition: "accepted";
            };
            payload: { rpmMilli: number; previousRpmMilli: number };
          }
      )[];
      nextCursor: string | null;
    }
  | {
      schemaVersion: 1;
      installationId: string;
      status: "unavailable";
      reason: "source_disabled" | "indexer_disabled" | "not_yet_safe" | "indexer_mismatch" | "indexer_unavailable";
    };
