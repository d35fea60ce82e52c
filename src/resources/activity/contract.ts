/** The contract of activity: body, rules, exchanges and texts (docs/spec/api.md#activity). */

import * as z from "zod";
import {
  CHAIN_TYPE_NAMES,
  CHAIN_TYPES,
  type ChainEventType,
  MEASUREMENT_TYPES,
} from "../../projections/activity/event-types.ts";
import { POLICY_VERSION } from "../../projections/activity/milestone-policy.ts";
import { uint256String } from "../../values/decimal.ts";
import { elementAt } from "../../values/unknown.ts";
import type { Contract } from "../contract.ts";
import {
  CHAIN_UNAVAILABLE,
  chainAddress,
  chainHash,
  chainPointFields,
  calendarDate as date,
  HEIGHTS_RULE,
  heightsAgree,
  installationIdField,
  timestamp,
  uuid,
} from "../fields.ts";
import { blocksEndAtHeight } from "../settlements/contract.ts";
import { ACTIVITY_CURSOR_LENGTH, ACTIVITY_LIMIT, CATEGORIES, type Category } from "./route.ts";

/** Why the activity is unavailable. */
export const ACTIVITY_UNAVAILABLE = ["source_disabled", ...CHAIN_UNAVAILABLE] as const;

/** The types a category advertises. `protocol` and `players` advertise all chain types but serve only their own. */
export function activeTypes(category: Category, hasMeasurements: boolean): readonly string[] {
  if (category === "measurement") return MEASUREMENT_TYPES;
  return category === "all" && hasMeasurements ? [...CHAIN_TYPE_NAMES, ...MEASUREMENT_TYPES] : CHAIN_TYPE_NAMES;
}

/** The types that a category's events may have. */
function servedTypes(category: Category, hasMeasurements: boolean): readonly string[] {
  const active = activeTypes(category, hasMeasurements);
  if (category === "all" || category === "measurement") return active;
  return CHAIN_TYPE_NAMES.filter((type) => CHAIN_TYPES[type].category === category);
}

const millimetres = z.number().int().positive();

const chainSource = z.strictObject({
  kind: z.literal("chain"),
  chainId: uint256String,
  target: z.string(),
  releaseId: z.string(),
  contractAddress: chainAddress,
  blockNumber: uint256String,
  blockHash: chainHash,
  transactionHash: chainHash,
  transactionIndex: uint256String,
  logIndex: uint256String,
  confirmationStatus: z.literal("safe"),
});

const measurementSource = z.strictObject({
  kind: z.literal("measurement"),
  installationId: installationIdField,
  cursor: z.string().min(1),
  telemetryId: uuid,
  observedAt: timestamp,
  receivedAt: timestamp,
  policyVersion: z.literal(POLICY_VERSION),
  disposition: z.literal("accepted"),
});

function event<Type extends string, Source extends z.ZodType, Payload extends z.ZodType>(
  type: Type,
  source: Source,
  payload: Payload,
) {
  return z.strictObject({
    id: z.string(),
    eventVersion: z.literal(1),
    type: z.literal(type),
    occurredAt: timestamp,
    recordedAt: timestamp,
    source,
    payload,
  });
}

const chain = <Type extends ChainEventType, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  event(type, chainSource, z.strictObject(shape));
const measurement = <Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  event(type, measurementSource, z.strictObject(shape));

const settlement = z.strictObject({
  previousSettledThroughRound: uint256String,
  settledThroughRound: uint256String,
  activeRoundCount: uint256String,
  workAdded: uint256String,
  completedBlockCount: uint256String,
  firstCompletedBlock: uint256String.nullable(),
  lastCompletedBlock: uint256String.nullable(),
  cumulativeWork: uint256String,
  blockHeight: uint256String,
});

/** One variant for each type (docs/spec/api.md#activity-types). */
export const activityEventSchema = z.discriminatedUnion("type", [
  event(
    "system.settlement_completed",
    chainSource,
    settlement
      .refine(blocksEndAtHeight, "completed blocks end at blockHeight")
      .refine(
        ({ previousSettledThroughRound: previous, settledThroughRound: settled }) => BigInt(settled) > BigInt(previous),
        "each batch advances its round frontier",
      ),
  ),
  chain("system.round_released", { round: uint256String, amountBaseUnits: uint256String }),
  chain("player.unit_minted", { player: chainAddress, unitId: uint256String, unitType: uint256String }),
  chain("player.units_merged", {
    player: chainAddress,
    resultUnitId: uint256String,
    consumedUnitIds: z.array(uint256String),
    resultUnitType: uint256String,
  }),
  chain("player.rewards_claimed", {
    player: chainAddress,
    throughRound: uint256String,
    amountBaseUnits: uint256String,
  }),
  measurement("measurement.lifetime_distance_milestone", { milestoneMm: millimetres, distanceMm: millimetres }),
  measurement("measurement.daily_distance_milestone", { milestoneMm: millimetres, distanceMm: millimetres, date }),
  measurement("measurement.speed_milestone", { milestoneMmPerSecond: millimetres, speedMmPerSecond: millimetres }),
  measurement("measurement.speed_record", { speedMmPerSecond: millimetres, previousSpeedMmPerSecond: millimetres }),
  measurement("measurement.distance_streak", { days: z.number().int().min(3), startDate: date, endDate: date }),
  // Part of the schema, but never served.
  measurement("measurement.rpm_record", { rpmMilli: millimetres, previousRpmMilli: millimetres }),
]);

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
  events: z.array(activityEventSchema).max(ACTIVITY_LIMIT.maximum),
  nextCursor: z.string().nullable(),
});

type Available = z.infer<typeof available>;
type Event = Available["events"][number];

export const activitySchema = z.discriminatedUnion("status", [
  available
    .refine(({ chain }) => heightsAgree(chain), HEIGHTS_RULE)
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
    reason: z.enum(ACTIVITY_UNAVAILABLE),
  }),
]);

function typesFit({ category, activeEventTypes, events }: Available): boolean {
  const served = servedTypes(category, true);
  return events.every(({ type }) => activeEventTypes.includes(type) && served.includes(type));
}

function isOfThisChain({ chain, release, identities }: Available, { id, type, source }: Event): boolean {
  if (source.kind !== "chain") return true;
  const { contract } = CHAIN_TYPES[type as ChainEventType];
  const block = BigInt(source.blockNumber);
  return (
    source.chainId === chain.chainId &&
    source.target === chain.target &&
    source.releaseId === release.id &&
    source.contractAddress === identities[contract] &&
    id === `${chain.chainId}-${source.blockNumber}-${source.logIndex}` &&
    block <= BigInt(chain.safeThroughBlock) &&
    block >= BigInt(contract === "core" ? chain.deploymentBlock : chain.economyDeploymentBlock)
  );
}

function isOfThisInstallation({ installationId }: Available, { source }: Event): boolean {
  return source.kind === "chain" || source.installationId === installationId;
}

/** Newest first; at one instant, chain events precede measurements, then higher positions precede lower ones. */
function isInOrder({ events }: Available): boolean {
  return events.slice(1).every((event, index) => {
    const newer = elementAt(events, index);
    if (newer.occurredAt !== event.occurredAt) return newer.occurredAt > event.occurredAt;
    if (newer.source.kind !== event.source.kind) return newer.source.kind === "chain";
    return newer.source.kind === "measurement" || newer.id !== event.id;
  });
}

const PATH = "/v1/public/activity";
/** Each parameter may appear once, in one form; a 400 has no-store (format: src/verify/exchanges/format.ts). */
const gets = (queries: readonly string[]) => queries.map((query) => `GET ${PATH}?${query}`).join("\n");
const refused = (queries: readonly string[]) =>
  `& query/refused\n${gets(queries)}\n400\nCache-Control: no-store\n= {"error":"invalid_query"}`;

const BAD_LIMITS = "0 101 1000 01 +1 %2B1 -1 1.0 5.5 1e1 0x10 %201 1%20 abc %FF 100000000000000000000".split(" ");

const ACTIVITY_EXCHANGES = [
  `& query/accepted\n${gets(["", "&", "category=all", `category=%61ll&limit=${ACTIVITY_LIMIT.default}`])}\nas ${PATH}`,
  `& query/accepted\n${gets(["limit=40&category=protocol", "category=protocol&"])}\nas ${PATH}?category=protocol`,
  `& query/accepted\n${gets(["limit=3&category=protocol", "category=protocol&limit=3&"])}\nas ${PATH}?category=protocol&limit=3`,
  `& query/accepted\n${gets(["c%61tegory=player%73&limit=2"])}\nas ${PATH}?category=players&limit=2`,
  `& query/accepted\n${gets(["category=measurement&limit=%35"])}\nas ${PATH}?category=measurement&limit=5`,
  `& query/accepted\n${gets(["category=all&limit=1", "%6Cimit=1"])}\nas ${PATH}?limit=1`,
  `& query/accepted\n${gets([`category=all&limit=${ACTIVITY_LIMIT.maximum}`])}\nas ${PATH}?limit=${ACTIVITY_LIMIT.maximum}`,
  refused([
    "category",
    ...["ALL", "All", "", "x", "all+", "system", "player", "chain"].map((value) => `category=${value}`),
  ]),
  refused(["limit", "limit=", "category=protocol&limit=0", ...BAD_LIMITS.map((value) => `limit=${value}`)]),
  refused([
    "cursor",
    "category=protocol&cursor=",
    "category=players&cursor=!",
    ...["", "a.b", "a%2Fb", "a%20b", "a=", "a%3D", "%C3%A9", "a".repeat(513)].map((value) => `cursor=${value}`),
  ]),
  refused([
    "category=all&category=all",
    "limit=5&limit=5",
    "limit=5&limit=6",
    "cursor=a&cursor=a",
    "cursor=a&cursor=b",
    "category=all&category=",
  ]),
  refused([
    "category=all&x",
    "limit=5&page=2",
    ..."a a= a=1 range=7d queue=1 Category=all limit[]=5 = after=1".split(" "),
  ]),
  refused(["%FF", "category=%FF", "limit=5&%zz", "cursor=%", "a=%C3%28", "category=all&%FF=1"]),
].join("\n\n");

export const activityContract = {
  operation: "activity",
  body: { name: "Activity", schema: activitySchema },
  tag: "Chain",
  summary: "Settlements, players' events and milestones",
  description: "Newest first. A cursor is valid only for the category that it came from.",
  rules: [
    "Types are unique; each event's type is active and of the category. docs/spec/api.md#activity-types 2",
    "Chain events match the body's chain, release and contracts, and lie at or below the safe block. docs/spec/api.md#activity-types 6",
    "measurement.rpm_record is in the schema, but it is never served. docs/spec/api.md#activity-types 1",
    "Ordered by occurredAt; at the same instant chain events come first. docs/spec/api.md#activity-order 1",
  ],
  exchanges: ACTIVITY_EXCHANGES,
  parameters: [
    { name: "category", description: "Which events.", form: { type: "string", enum: CATEGORIES, default: "all" } },
    {
      name: "limit",
      description: "Events per page, in canonical decimal digits.",
      form: { type: "integer", ...ACTIVITY_LIMIT },
    },
    {
      name: "cursor",
      description: "The nextCursor of the previous page. Without it, the first page.",
      form: "cursor",
    },
  ],
  cursor: {
    name: "ActivityCursor",
    pattern: `^[A-Za-z0-9_-]{1,${ACTIVITY_CURSOR_LENGTH}}$`,
    description: "Opaque: an unchanged nextCursor of the same category. docs/spec/api.md#activity-order",
  },
  clientParameters: "ActivityParameters",
} as const satisfies Contract;
