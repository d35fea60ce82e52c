/** Made from the schema by test/client/bodies.test.ts: not by hand. */
import type { ChainAddress, ChainHash, DecimalString, Timestamp } from "./values.ts";

export type Onchain =
  | {
      schemaVersion: 4;
      installationId: string;
      status: "available";
      chain: {
        target: string;
        chainId: DecimalString;
        deploymentBlock: DecimalString;
        indexedThroughBlock: DecimalString;
        safeThroughBlock: DecimalString;
        confirmations: "12";
      };
      identities: {
        factory: ChainAddress;
        core: ChainAddress;
        proxyAdmin: ChainAddress;
        proxyAdminOwner: ChainAddress;
        operatorTimelock: ChainAddress;
        operatorProposer: ChainAddress;
        proxyImplementation: ChainAddress;
        proxyAdminSlot: ChainAddress;
      };
      configuration: {
        streamId: ChainHash;
        genesisTimestamp: DecimalString;
        roundDuration: DecimalString;
        maxWorkPerRound: DecimalString;
        maxRoundsPerBatch: DecimalString;
        workPerBlock: DecimalString;
        guardian: ChainAddress;
        reporter: ChainAddress;
      };
      core: {
        settledThroughRound: DecimalString;
        cumulativeWork: DecimalString;
        blockHeight: DecimalString;
        currentWork: DecimalString;
        workPerBlock: DecimalString;
        authorizationNonce: DecimalString;
        paused: boolean;
      };
      implementation: {
        codeAddress: ChainAddress;
        codeVersion: string;
        storageLayoutDigest: ChainHash;
        runtimeHash: ChainHash;
      };
      governance: {
        operationId: ChainHash;
        operationKind: "None" | "Upgrade" | "Conflict";
        operationState: "None" | "Pending" | "Executed" | "Cancelled" | "Conflict";
      };
      source: {
        eventName: string;
        blockNumber: DecimalString;
        blockHash: ChainHash;
        blockTimestamp: Timestamp;
        transactionHash: ChainHash;
        transactionIndex: DecimalString;
        logIndex: DecimalString;
      };
      events: {
        id: string;
        contractKind: "factory" | "core" | "proxy_admin" | "timelock";
        contractAddress: ChainAddress;
        eventName: string;
        blockNumber: DecimalString;
        blockHash: ChainHash;
        blockTimestamp: Timestamp;
        transactionHash: ChainHash;
        transactionIndex: DecimalString;
        logIndex: DecimalString;
        arguments: { name: string; value: string }[];
      }[];
    }
  | {
      schemaVersion: 4;
      installationId: string;
      status: "unavailable";
      reason: "indexer_disabled" | "not_yet_safe" | "indexer_mismatch" | "indexer_unavailable";
    };
