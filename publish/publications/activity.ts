/** read-api.md 4.8: a head for each category with the tiles that it names, and the constant answer after its word. */
import { activityKey, CATEGORIES, type Category, constantKey } from "../../src/http/keys.ts";
import { type Installation, installationNo } from "../../src/ledger/watermarks.ts";
import { FeedNodes } from "../../src/projections/activity/feed-nodes.ts";
import { followedReceipts } from "../../src/projections/activity/milestone-state.ts";
import { isBehindReceipts } from "../../src/projections/activity/milestones.ts";
import { buildActivityHead, buildUnavailableActivity } from "../../src/resources/activity/build.ts";
import type { Built } from "../../src/resources/built.ts";
import { EXIT, Failure } from "../../src/values/failure.ts";
import { feedContext } from "../activity/context.ts";
import { feedLayout } from "../activity/layout.ts";
import { putFeedTiles } from "../activity/put-tiles.ts";
import type { Publication } from "../answers/publication.ts";
import type { Sources } from "../sources/sources.ts";
import { chainHeight, chainNews, HISTORY_HEIGHT_INTERVAL } from "./chain-inputs.ts";

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
    inputs: (sources) => inputs(category, sources),
    minorInputs: ({ chain }) => chainHeight(chain),
    minorInterval: HISTORY_HEIGHT_INTERVAL,
    before: async (sources, putImmutable) => {
      const { projections, chain, installationId, tilePrefix } = sources;
      const context = feedContext(installationId, chain);
      if (context !== undefined) await putFeedTiles(projections, category, context, tilePrefix, putImmutable);
    },
    build: (sources, at) => build(category, sources, at),
  },
]);

function build(category: Category, sources: Sources, at: number): Built {
  const { installationId, chain, facts, projections, tilePrefix } = sources;
  if (category === "measurement" && facts === undefined) {
    return buildUnavailableActivity(installationId, "source_disabled");
  }
  for (const view of [chain.core, chain.economy]) {
    if (view.status === "unavailable") return buildUnavailableActivity(installationId, view.reason);
  }
  const context = feedContext(installationId, chain);
  if (at >= chain.validUntil || context === undefined) {
    return buildUnavailableActivity(installationId, "indexer_unavailable");
  }
  if (hasMeasurements(category) && isBehind(sources)) {
    throw new Failure("activity_behind", "the milestones have not followed every receipt yet", {
      exit: EXIT.failed,
      hint: "They are followed in steps, cycle by cycle; the feed is published when they are through.",
    });
  }
  const { core, economy, validUntil } = context;
  const inputs = { installationId, category, hasMeasurements: facts !== undefined, core, economy, validUntil };
  return buildActivityHead(inputs, feedLayout(projections, category, context, tilePrefix), at);
}

function inputs(category: Category, sources: Sources): string {
  const { chain, facts, projections } = sources;
  const { version = 0 } = new FeedNodes(projections, category).state() ?? {};
  const waits = hasMeasurements(category) && isBehind(sources);
  const position = waits ? (followedReceipts(projections)?.position ?? 0) : "";
  return `${chainNews(chain)} ${version} ${facts === undefined} ${position}`;
}

function hasMeasurements(category: Category): boolean {
  return category === "all" || category === "measurement";
}

function isBehind({ facts, installationId, projections }: Sources): boolean {
  const installation = facts && installationOf(facts.ledger, installationId);
  return facts !== undefined && installation !== undefined && isBehindReceipts(projections, facts.ledger, installation);
}

function installationOf(ledger: Parameters<typeof installationNo>[0], id: string): Installation | undefined {
  const no = installationNo(ledger, id);
  return no === undefined ? undefined : { no, id };
}
