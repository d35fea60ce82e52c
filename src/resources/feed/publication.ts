/** Publishes both feeds: the newest 50 settlements and milestones (docs/spec/people.md#files). */
import { CHAIN_ACTIVITY } from "../../projections/activity/activity-chain.ts";
import { newestEvents } from "../../projections/activity/activity-events.ts";
import { MEASUREMENT_TYPES } from "../../projections/activity/event-types.ts";
import { categoryChanges } from "../../projections/activity/tile-tree.ts";
import { RECEIPTS } from "../../projections/receipts.ts";
import { hasUnfollowedReceipts } from "../inputs.ts";
import type { Publication } from "../publication.ts";
import { renderFile } from "../site/publication.ts";
import type { Site } from "../site/site-files.ts";
import type { Snapshot } from "../snapshot.ts";
import { atomFeed, type FeedEntry, feedEntry, jsonFeed, SETTLEMENT_TYPE } from "./documents.ts";
import { atomFeedFile, jsonFeedFile } from "./route.ts";

const ENTRY_LIMIT = 50;

export function feedPublications({ program, publicUrl }: Site): Publication[] {
  const forms = [
    { row: jsonFeedFile, write: jsonFeed },
    { row: atomFeedFile, write: atomFeed },
  ] as const;
  return forms.map(({ row, write }) => ({
    resource: row.resource,
    key: row.objects[0].key,
    sources: { kinds: ["receipt"], usesChain: true, program, parts: [RECEIPTS, CHAIN_ACTIVITY] },
    inputs,
    build: (snapshot) => {
      const { installationId } = snapshot;
      const built = renderFile(row, write({ installationId, publicUrl, entries: entriesOf(snapshot) }));
      return isWhole(snapshot) ? built : { ...built, isPlaceholder: true };
    },
  }));
}

function inputs(snapshot: Snapshot): string {
  return `${categoryChanges(snapshot.projections, "all")} ${isWhole(snapshot)} ${snapshot.chain.binding?.chainId}`;
}

/** True if every event is known: the chain responds, and the milestones have followed every receipt. */
function isWhole(snapshot: Snapshot): boolean {
  const { core, binding } = snapshot.chain;
  return (core.status === "available" || binding === undefined) && !hasUnfollowedReceipts(snapshot);
}

/** Without a chain, entries are only milestones. Events up to the safe block stay while the chain is silent. */
function entriesOf({ installationId, chain, projections }: Snapshot): FeedEntry[] {
  const { chainId, target, releaseId = "" } = chain.binding ?? { chainId: 0n, target: "" };
  const context = { installationId, chainId, target, releaseId };
  const settlements =
    chain.binding === undefined ? [] : newestEvents(projections, "protocol", SETTLEMENT_TYPE, ENTRY_LIMIT);
  const milestones = MEASUREMENT_TYPES.flatMap((type) => newestEvents(projections, "measurement", type, ENTRY_LIMIT));
  return [...settlements, ...milestones]
    .toSorted((one, other) => (one.key < other.key ? 1 : -1))
    .slice(0, ENTRY_LIMIT)
    .map((event) => feedEntry(event, context));
}
