/** Builds the Core's state and newest events at the safe block (docs/spec/api.md#onchain). */
import type { ChainEvent, ChainState, ChainUnavailable, CoreView } from "../../chain/chain-state.ts";
import { NO_STORE } from "../../http/common-headers.ts";
import { constantKey } from "../../http/keys.ts";
import { formatTimestamp } from "../../values/timestamp.ts";
import type { Built } from "../built.ts";
import { chainPointOf } from "../fields.ts";
import { onchainSchema } from "./contract.ts";
import { ONCHAIN_KEY } from "./route.ts";

/** The constant response replaces an expired view (docs/spec/publishing.md#chain-validity). */
export function buildOnchain(installationId: string, chain: ChainState, at: number): Built {
  if (chain.core.status === "unavailable") return buildUnavailableOnchain(installationId, chain.core.reason);
  if (at >= chain.validUntil) return buildUnavailableOnchain(installationId, "indexer_unavailable");
  return {
    ...built({ schemaVersion: 4, installationId, status: "available", ...viewOf(chain.core.view) }),
    nextChangeAt: chain.validUntil,
    successorKey: constantKey(ONCHAIN_KEY),
  };
}

export function buildUnavailableOnchain(installationId: string, reason: ChainUnavailable): Built {
  return built({ schemaVersion: 4, installationId, status: "unavailable", reason });
}

function built(onchain: unknown): Built {
  const body = JSON.stringify(onchainSchema.parse(onchain));
  return { status: 200, headers: { "cache-control": NO_STORE }, body, fingerprintText: body };
}

function viewOf({ chain, identities, configuration, core, implementation, governance, source, events }: CoreView) {
  return {
    chain: chainPointOf(chain),
    identities,
    configuration: { ...configuration, ...texts(configuration) },
    core: { ...core, ...texts(core) },
    implementation,
    governance,
    source: { eventName: source.eventName, ...positionOf(source) },
    events: events.map((event) => ({
      id: `${chain.chainId}-${event.blockNumber}-${event.logIndex}`,
      contractKind: event.contractKind,
      contractAddress: event.contractAddress,
      eventName: event.eventName,
      ...positionOf(event),
      arguments: event.arguments,
    })),
  };
}

function positionOf(event: ChainEvent) {
  return {
    blockNumber: String(event.blockNumber),
    blockHash: event.blockHash,
    blockTimestamp: formatTimestamp(event.blockTimestamp),
    transactionHash: event.transactionHash,
    transactionIndex: String(event.transactionIndex),
    logIndex: String(event.logIndex),
  };
}

/** Converts an object's bigint fields to decimal strings and omits the others. */
function texts(object: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(object).flatMap(([name, value]) => (typeof value === "bigint" ? [[name, String(value)]] : [])),
  );
}
