/** The view functions' results, typed. A result that is missing means that the node's answer is not valid upstream data. */
import { z } from "zod";
import { ContradictingAnswer } from "../rpc/node-answers.ts";
import type { Reading } from "./reading.ts";

const integer = z.bigint();
const address = z.string();
const hash = z.string();

const coreSchema = z.object({
  "core.streamId": hash,
  "core.genesisTimestamp": integer,
  "core.roundDuration": integer,
  "core.maxWorkPerRound": integer,
  "core.maxRoundsPerBatch": integer,
  "core.workPerBlock": integer,
  "core.guardian": address,
  "core.reporter": address,
  "core.settledThroughRound": integer,
  "core.cumulativeWork": integer,
  "core.blockHeight": integer,
  "core.currentWork": integer,
  "core.authorizationNonce": integer,
  "core.paused": z.boolean(),
  "core.codeVersion": z.string(),
  "core.storageLayoutDigest": hash,
  "proxyAdmin.owner": address,
  "timelock.hasRole": z.boolean(),
});

const economySchema = z.object({
  "mining.core": address,
  "mining.token": address,
  "mining.collection": address,
  "mining.mintedThroughRound": integer,
  "mining.baselineRewardPerBlock": integer,
  "mining.rewardWeightActivationRound": integer,
  "mining.implementationVersion": z.string(),
  "mining.storageLayoutDigest": hash,
  "token.symbol": z.string(),
  "token.decimals": z.number(),
});

export type CoreStateRead = ReturnType<typeof coreState>;
export type EconomyStateRead = ReturnType<typeof economyState>;

/** Throws `ContradictingAnswer` where a function failed. */
export function coreState({ views }: Reading) {
  const read = parse(coreSchema, views);
  return {
    streamId: read["core.streamId"],
    genesisTimestamp: read["core.genesisTimestamp"],
    roundDuration: read["core.roundDuration"],
    maxWorkPerRound: read["core.maxWorkPerRound"],
    maxRoundsPerBatch: read["core.maxRoundsPerBatch"],
    workPerBlock: read["core.workPerBlock"],
    guardian: read["core.guardian"],
    reporter: read["core.reporter"],
    settledThroughRound: read["core.settledThroughRound"],
    cumulativeWork: read["core.cumulativeWork"],
    blockHeight: read["core.blockHeight"],
    currentWork: read["core.currentWork"],
    authorizationNonce: read["core.authorizationNonce"],
    paused: read["core.paused"],
    codeVersion: read["core.codeVersion"],
    storageLayoutDigest: read["core.storageLayoutDigest"],
    proxyAdminOwner: read["proxyAdmin.owner"],
    proposerHasRole: read["timelock.hasRole"],
  };
}

/** Throws `ContradictingAnswer` where a function failed. */
export function economyState({ views }: Reading) {
  const read = parse(economySchema, views);
  return {
    core: read["mining.core"],
    token: read["mining.token"],
    collection: read["mining.collection"],
    mintedThroughRound: read["mining.mintedThroughRound"],
    baselineRewardPerBlock: read["mining.baselineRewardPerBlock"],
    rewardWeightActivationRound: read["mining.rewardWeightActivationRound"],
    implementationVersion: read["mining.implementationVersion"],
    storageLayoutDigest: read["mining.storageLayoutDigest"],
    symbol: read["token.symbol"],
    decimals: read["token.decimals"],
  };
}

function parse<T>(schema: z.ZodType<T>, views: Reading["views"]): T {
  const parsed = schema.safeParse(Object.fromEntries(views));
  if (parsed.success) return parsed.data;
  throw new ContradictingAnswer(`no usable answer to ${parsed.error.issues[0]?.path.join(".")}()`);
}
