/**
 * Publishes activity (docs/spec/api.md#activity): per category a root with its tiles, and the constant response that
 * replaces it when it expires.
 */

import { constantKey } from "../../http/keys.ts";
import { CHAIN_ACTIVITY } from "../../projections/activity/activity-chain.ts";
import { categoryChanges } from "../../projections/activity/tile-tree.ts";
import { readCursor } from "../../projections/follow.ts";
import { RECEIPTS } from "../../projections/receipts.ts";
import { Failure } from "../../values/failure.ts";
import type { Built } from "../built.ts";
import { chainInput, HISTORY_HEIGHT_INTERVAL, hasUnfollowedReceipts, heightTiming } from "../inputs.ts";
import type { Publication } from "../publication.ts";
import type { Snapshot } from "../snapshot.ts";
import { buildActivityRoot, buildUnavailableActivity } from "./build.ts";
import { activityKey, activityTilesPrefix, CATEGORIES, type Category, TILE_KEPT_MS, tilesPart } from "./route.ts";
import { activityContext, activityLayout, activityTiles, tilesVersion } from "./tiles.ts";

export const activityPublications: readonly Publication[] = CATEGORIES.flatMap((category) => [
  {
    resource: "activity",
    key: constantKey(activityKey(category)),
    inputs: ({ installationId }) => installationId,
    build: ({ installationId }) => buildUnavailableActivity(installationId, "indexer_unavailable"),
  },
  {
    resource: "activity",
    key: activityKey(category),
    sources: {
      kinds: hasMeasurements(category) ? ["receipt"] : [],
      usesChain: true,
      isChainView: true,
      parts: [
        ...(hasMeasurements(category) ? [RECEIPTS] : []),
        ...(category === "measurement" ? [] : [CHAIN_ACTIVITY]),
        tilesPart(category),
      ],
    },
    inputs: (snapshot) => inputs(category, snapshot),
    timing: heightTiming(HISTORY_HEIGHT_INTERVAL),
    tileSet: {
      prefix: activityTilesPrefix(category),
      keptMs: TILE_KEPT_MS,
      version: (snapshot) => tilesVersion(snapshot, category),
      tiles: (snapshot) => activityTiles(snapshot, category),
    },
    build: (snapshot, at) => build(category, snapshot, at),
  },
]);

function build(category: Category, snapshot: Snapshot, at: number): Built {
  const { installationId, chain, ledger, projections } = snapshot;
  if (category === "measurement" && ledger === undefined) {
    return buildUnavailableActivity(installationId, "source_disabled");
  }
  // The economy's reason already includes the Core's, in the order of docs/spec/chain.md#reasons.
  if (chain.economy.status === "unavailable") return buildUnavailableActivity(installationId, chain.economy.reason);
  const context = activityContext(installationId, chain);
  if (at >= chain.validUntil || context === undefined) {
    return buildUnavailableActivity(installationId, "indexer_unavailable");
  }
  if (hasMeasurements(category) && hasUnfollowedReceipts(snapshot)) {
    throw new Failure("activity_behind", "the milestones have not followed every receipt yet");
  }
  const { core, economy, validUntil } = context;
  const inputs = { installationId, category, hasMeasurements: ledger !== undefined, core, economy, validUntil };
  return buildActivityRoot(inputs, activityLayout({ projections, category, context }), at);
}

function inputs(category: Category, snapshot: Snapshot): string {
  const { chain, ledger, projections } = snapshot;
  const changes = categoryChanges(projections, category);
  const waits = hasMeasurements(category) && hasUnfollowedReceipts(snapshot);
  const position = waits ? (readCursor(projections, RECEIPTS)?.at ?? 0) : "";
  return `${chainInput(chain)} ${changes} ${ledger === undefined} ${position}`;
}

function hasMeasurements(category: Category): boolean {
  return category === "all" || category === "measurement";
}
