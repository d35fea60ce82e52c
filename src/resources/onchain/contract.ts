/** The contract of onchain: body, rules and texts (docs/spec/api.md#onchain). */
import * as z from "zod";
import { uint256String } from "../../values/decimal.ts";
import { SAFE_DEPTH } from "../../values/settlement-limits.ts";
import { namesOf } from "../../values/unknown.ts";
import type { Contract } from "../contract.ts";
import {
  CHAIN_UNAVAILABLE,
  chainAddress,
  chainHash,
  chainPointFields,
  HEIGHTS_RULE,
  heightsAgree,
  installationIdField,
  isWithin,
  timestamp,
} from "../fields.ts";

/** The most events in a body. */
const MAX_EVENTS = 25;

const { confirmations, ...point } = chainPointFields;

const position = {
  blockNumber: uint256String,
  blockHash: chainHash,
  blockTimestamp: timestamp,
  transactionHash: chainHash,
  transactionIndex: uint256String,
  logIndex: uint256String,
};

const event = z.strictObject({
  id: z.string(),
  contractKind: z.enum(["factory", "core", "proxy_admin", "timelock"]),
  contractAddress: chainAddress,
  eventName: z.string(),
  ...position,
  arguments: z.array(z.strictObject({ name: z.string(), value: z.string() })),
});

const available = z.strictObject({
  schemaVersion: z.literal(4),
  installationId: installationIdField,
  status: z.literal("available"),
  chain: z.strictObject({ ...point, confirmations }),
  identities: z.strictObject({
    factory: chainAddress,
    core: chainAddress,
    proxyAdmin: chainAddress,
    proxyAdminOwner: chainAddress,
    operatorTimelock: chainAddress,
    operatorProposer: chainAddress,
    proxyImplementation: chainAddress,
    proxyAdminSlot: chainAddress,
  }),
  configuration: z.strictObject({
    streamId: chainHash,
    genesisTimestamp: uint256String,
    roundDuration: uint256String,
    maxWorkPerRound: uint256String,
    maxRoundsPerBatch: uint256String,
    workPerBlock: uint256String,
    guardian: chainAddress,
    reporter: chainAddress,
  }),
  core: z.strictObject({
    settledThroughRound: uint256String,
    cumulativeWork: uint256String,
    blockHeight: uint256String,
    currentWork: uint256String,
    workPerBlock: uint256String,
    authorizationNonce: uint256String,
    paused: z.boolean(),
  }),
  implementation: z.strictObject({
    codeAddress: chainAddress,
    codeVersion: z.string(),
    storageLayoutDigest: chainHash,
    runtimeHash: chainHash,
  }),
  governance: z.strictObject({
    operationId: chainHash,
    operationKind: z.enum(["None", "Upgrade", "Conflict"]),
    operationState: z.enum(["None", "Pending", "Executed", "Cancelled", "Conflict"]),
  }),
  source: z.strictObject({ eventName: z.string(), ...position }),
  events: z.array(event).max(MAX_EVENTS),
});

type Available = z.infer<typeof available>;

export const onchainSchema = z.discriminatedUnion("status", [
  available
    .refine(({ chain }) => heightsAgree(chain), HEIGHTS_RULE)
    .refine(isBoundToDeployment, "proxy and events are the deployment's")
    .refine(({ chain, events }) => events.every((e) => isWithin(chain, e.blockNumber)), "an event is out of bounds")
    .refine(({ chain, source }) => isWithin(chain, source.blockNumber), "the source is out of bounds")
    .refine(({ events }) => isNewestFirst(events), "events are unique and newest first")
    .refine(sourceIsNewestOfCore, "the source is the newest event of the Core")
    .refine(({ configuration, core }) => configuration.workPerBlock === core.workPerBlock, "work per block differs")
    .refine(heightFollowsWork, "blockHeight and currentWork are quotient and remainder of cumulativeWork"),
  z.strictObject({
    schemaVersion: z.literal(4),
    installationId: installationIdField,
    status: z.literal("unavailable"),
    reason: z.enum(CHAIN_UNAVAILABLE),
  }),
]);

function isBoundToDeployment({ identities, implementation, events }: Available): boolean {
  const addresses = {
    factory: identities.factory,
    core: identities.core,
    proxy_admin: identities.proxyAdmin,
    timelock: identities.operatorTimelock,
  };
  return (
    events.every((event) => event.contractAddress === addresses[event.contractKind]) &&
    identities.proxyAdminSlot === identities.proxyAdmin &&
    identities.proxyAdminOwner === identities.operatorTimelock &&
    identities.proxyImplementation === implementation.codeAddress
  );
}

function isNewestFirst(events: Available["events"]): boolean {
  return events.every((event, index) => {
    const older = events[index + 1];
    if (older === undefined) return true;
    const blocks = BigInt(event.blockNumber) - BigInt(older.blockNumber);
    return blocks > 0n || (blocks === 0n && BigInt(event.logIndex) > BigInt(older.logIndex));
  });
}

function sourceIsNewestOfCore({ source, events }: Available): boolean {
  const newest = events.find((event) => event.contractKind === "core");
  if (newest === undefined) return true;
  return namesOf(source).every((name) => source[name] === newest[name]);
}

function heightFollowsWork({ core }: Available): boolean {
  const workPerBlock = BigInt(core.workPerBlock);
  if (workPerBlock === 0n) return false;
  const work = BigInt(core.cumulativeWork);
  return BigInt(core.blockHeight) === work / workPerBlock && BigInt(core.currentWork) === work % workPerBlock;
}

export const onchainContract = {
  operation: "onchain",
  body: { name: "Onchain", schema: onchainSchema },
  tag: "Chain",
  summary: "The settlement contract's state at a safe height",
  description: "With at most 25 recent events, newest first. It has no generatedAt.",
  rules: [
    `safeThroughBlock = indexedThroughBlock − ${SAFE_DEPTH}; events lie between the deployment and it, unique and ordered. docs/spec/api.md#onchain 2`,
    "Each event's address is the deployment's of its kind; the proxy's identities agree. docs/spec/api.md#onchain 3",
    "blockHeight and currentWork are quotient and remainder of cumulativeWork by workPerBlock; source is the newest event of kind core. docs/spec/api.md#onchain 4",
  ],
} as const satisfies Contract;
