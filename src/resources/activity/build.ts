/** Builds the root of a category's activity (docs/spec/api.md#activity). The shim cuts pages from it and its tiles. */
import type { ChainUnavailable, CoreView, EconomyView } from "../../chain/chain-state.ts";
import { NO_STORE } from "../../http/common-headers.ts";
import { constantKey } from "../../http/keys.ts";
import { formatTimestamp } from "../../values/timestamp.ts";
import type { Built } from "../built.ts";
import { chainPointOf } from "../fields.ts";
import { activeTypes, activitySchema } from "./contract.ts";
import { ACTIVITY_LIMIT, activityKey, type Category } from "./route.ts";
import { type ActivityRoot, type EventLine, encodeRoot, pageBody } from "./stored-activity.ts";

/** A category's tiles, and its newest events, which are in the root. */
export interface ActivityLayout extends Pick<ActivityRoot, "tiles" | "indexes"> {
  readonly recent: readonly EventLine[];
}

export interface RootInputs {
  readonly installationId: string;
  readonly category: Category;
  /** True if there is a measurement source. */
  readonly hasMeasurements: boolean;
  readonly core: CoreView;
  readonly economy: EconomyView;
  /** Epoch ms. */
  readonly validUntil: number;
}

/** Throws if its first page would break a rule of docs/spec/api.md#activity. */
export function buildActivityRoot(inputs: RootInputs, layout: ActivityLayout, at: number): Built {
  const envelope = envelopeOf(inputs);
  const opening = openingOf(inputs, envelope, formatTimestamp(at));
  activitySchema.parse(JSON.parse(pageBody(opening, layout.recent.slice(0, ACTIVITY_LIMIT.maximum), null)));
  return {
    status: 200,
    headers: { "cache-control": NO_STORE },
    body: encodeRoot({ opening, ...layout }),
    fingerprintText: encodeRoot({ opening: openingOf(inputs, envelope, ""), ...layout }),
    nextChangeAt: inputs.validUntil,
    successorKey: constantKey(activityKey(inputs.category)),
  };
}

export function buildUnavailableActivity(installationId: string, reason: ChainUnavailable | "source_disabled"): Built {
  const body = JSON.stringify(
    activitySchema.parse({ schemaVersion: 1, installationId, status: "unavailable", reason }),
  );
  return { status: 200, headers: { "cache-control": NO_STORE }, body, fingerprintText: body };
}

function openingOf({ installationId }: RootInputs, fields: object, generatedAt: string): string {
  const envelope = { schemaVersion: 1, installationId, status: "available", generatedAt, ...fields };
  return `${JSON.stringify(envelope).slice(0, -1)},"events":[`;
}

function envelopeOf({ category, hasMeasurements, core, economy }: RootInputs) {
  const { indexedThroughBlock, safeThroughBlock, ...point } = chainPointOf(core.chain);
  return {
    catalogVersion: "public-activity-v1",
    category,
    chain: {
      ...point,
      economyDeploymentBlock: String(economy.deploymentBlock),
      indexedThroughBlock,
      safeThroughBlock,
      safeBlockHash: core.chain.safeBlockHash,
      safeBlockTimestamp: formatTimestamp(core.chain.safeBlockTimestamp),
    },
    release: {
      id: economy.releaseId,
      protocolRevision: economy.protocolRevision,
      rewardModelRevision: economy.rewardModelRevision,
    },
    identities: {
      core: core.identities.core,
      tokenFactory: economy.tokenFactory,
      mining: economy.mining,
      token: economy.token,
      collection: economy.collection,
      miningImplementation: economy.miningImplementation,
      miningImplementationVersion: economy.miningImplementationVersion,
      miningStorageLayoutDigest: economy.miningStorageLayoutDigest,
    },
    activeEventTypes: activeTypes(category, hasMeasurements),
  };
}
