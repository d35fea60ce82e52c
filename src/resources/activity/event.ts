/** One activity event as JSON text (docs/spec/api.md#activity). Tiles hold this text, and pages copy it unchanged. */

import type { ChainEventSource } from "../../projections/activity/activity-chain.ts";
import type { ActivityEvent } from "../../projections/activity/activity-events.ts";
import { POLICY_VERSION } from "../../projections/activity/milestone-policy.ts";
import type { MeasurementEventSource } from "../../projections/activity/milestones.ts";
import { measurementSuffix } from "../../values/activity-key.ts";
import { formatTimestamp } from "../../values/timestamp.ts";
import { encodeObservationCursor } from "../observations/route.ts";

/** Inputs shared by all events. If they change, the text of every event changes. */
export interface ActivityContext {
  readonly installationId: string;
  readonly target: string;
  readonly chainId: bigint;
  readonly releaseId: string;
}

export function eventText(event: ActivityEvent, context: ActivityContext): string {
  const source = JSON.parse(event.source) as ChainEventSource | MeasurementEventSource;
  const { id, occurredAt, recordedAt, ...rest } =
    "blockNumber" in source ? chainParts(source, context) : measurementParts(event.key, source, context);
  // The payload is JSON text already, so it is inserted without parsing and serialising it again.
  const head = JSON.stringify({
    id,
    eventVersion: 1,
    type: event.type,
    occurredAt: formatTimestamp(occurredAt),
    recordedAt: formatTimestamp(recordedAt),
    source: rest.source,
  });
  return `${head.slice(0, -1)},"payload":${event.payload}}`;
}

function chainParts(source: ChainEventSource, { chainId, target, releaseId }: ActivityContext) {
  return {
    id: `${chainId}-${source.blockNumber}-${source.logIndex}`,
    occurredAt: source.blockTimestamp,
    recordedAt: source.blockTimestamp,
    source: {
      kind: "chain",
      chainId: String(chainId),
      target,
      releaseId,
      contractAddress: source.contractAddress,
      blockNumber: String(source.blockNumber),
      blockHash: source.blockHash,
      transactionHash: source.transactionHash,
      transactionIndex: String(source.transactionIndex),
      logIndex: String(source.logIndex),
      confirmationStatus: "safe",
    },
  };
}

function measurementParts(key: string, source: MeasurementEventSource, { installationId }: ActivityContext) {
  return {
    id: `${installationId}-${source.position}-${measurementSuffix(key)}`,
    occurredAt: source.observedAt,
    recordedAt: source.receivedAt,
    source: {
      kind: "measurement",
      installationId,
      cursor: encodeObservationCursor(source.position),
      telemetryId: source.telemetryId,
      observedAt: formatTimestamp(source.observedAt),
      receivedAt: formatTimestamp(source.receivedAt),
      policyVersion: POLICY_VERSION,
      disposition: "accepted",
    },
  };
}
