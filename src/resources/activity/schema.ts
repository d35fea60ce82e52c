/** docs/spec/api.md#activity, the resource, and its rules. */
import * as z from "zod";
import { uint256String } from "../../values/decimal.ts";
import { CHAIN_UNAVAILABLE, chainPointFields, heightsAgree } from "../chain-fields.ts";
import { chainAddress, chainHash, installationIdField, timestamp } from "../fields.ts";
import { CATEGORIES } from "./keys.ts";
import { activityEventSchema } from "./schema-events.ts";
import { servedTypes } from "./types.ts";

/** Events of one page at most. */
export const MAX_PAGE = 100;

const { target, chainId, confirmations, deploymentBlock, indexedThroughBlock, safeThroughBlock } = chainPointFields;

const available = z.strictObject({
  schemaVersion: z.literal(1),
  installationId: installationIdField,
  status: z.literal("available"),
  generatedAt: timestamp,
  catalogVersion: z.literal("public-activity-v1"),
  category: z.enum(CATEGORIES),
  chain: z.strictObject({
    target,
    chainId,
    confirmations,
    deploymentBlock,
    economyDeploymentBlock: uint256String,
    indexedThroughBlock,
    safeThroughBlock,
    safeBlockHash: chainHash,
    safeBlockTimestamp: timestamp,
  }),
  release: z.strictObject({ id: z.string(), protocolRevision: z.string(), rewardModelRevision: z.string() }),
  identities: z.strictObject({
    core: chainAddress,
    tokenFactory: chainAddress,
    mining: chainAddress,
    token: chainAddress,
    collection: chainAddress,
    miningImplementation: chainAddress,
    miningImplementationVersion: z.string(),
    miningStorageLayoutDigest: chainHash,
  }),
  activeEventTypes: z.array(z.string()).min(1),
  events: z.array(activityEventSchema).max(MAX_PAGE),
  nextCursor: z.string().nullable(),
});

type Available = z.infer<typeof available>;
type Event = Available["events"][number];

export const activitySchema = z.discriminatedUnion("status", [
  available
    .refine(({ chain }) => heightsAgree(chain), "the safe block is the indexed one less 11")
    .refine(({ activeEventTypes: types }) => new Set(types).size === types.length, "active types are unique")
    .refine(typesFit, "each event's type is active and of the category")
    .refine((body) => body.events.every((event) => isOfThisChain(body, event)), "chain events match the chain")
    .refine(
      (body) => body.events.every((event) => isOfThisInstallation(body, event)),
      "measurements match the installation",
    )
    .refine(isInOrder, "events are newest first"),
  z.strictObject({
    schemaVersion: z.literal(1),
    installationId: installationIdField,
    status: z.literal("unavailable"),
    reason: z.enum(["source_disabled", ...CHAIN_UNAVAILABLE]),
  }),
]);

function typesFit({ category, activeEventTypes, events }: Available): boolean {
  const served = servedTypes(category, true);
  return events.every(({ type }) => activeEventTypes.includes(type) && served.includes(type));
}

function isOfThisChain({ chain, release, identities }: Available, { id, type, source }: Event): boolean {
  if (source.kind !== "chain") return true;
  const contract = type === "system.settlement_completed" ? identities.core : contractOf(type, identities);
  const block = BigInt(source.blockNumber);
  return (
    source.chainId === chain.chainId &&
    source.target === chain.target &&
    source.releaseId === release.id &&
    source.contractAddress === contract &&
    id === `${chain.chainId}-${source.blockNumber}-${source.logIndex}` &&
    block <= BigInt(chain.safeThroughBlock) &&
    block >= BigInt(type === "system.settlement_completed" ? chain.deploymentBlock : chain.economyDeploymentBlock)
  );
}

function contractOf(type: Event["type"], { mining, collection }: Available["identities"]): string {
  return type === "player.unit_minted" || type === "player.units_merged" ? collection : mining;
}

function isOfThisInstallation({ installationId }: Available, { source }: Event): boolean {
  return source.kind === "chain" || source.installationId === installationId;
}

/** Later first; at one instant chain events before measurements, then from the higher position in its source on. */
function isInOrder({ events }: Available): boolean {
  return events.slice(1).every((event, index) => {
    const newer = events[index] as Event;
    if (newer.occurredAt !== event.occurredAt) return newer.occurredAt > event.occurredAt;
    if (newer.source.kind !== event.source.kind) return newer.source.kind === "chain";
    return newer.source.kind === "measurement" || newer.id !== event.id;
  });
}
