/** The view functions' results, typed, each by itself: one that failed or is of another type is undefined. */
import * as z from "zod";
import { ContradictingResponse } from "../rpc/node-responses.ts";
import { FailedView, type ViewResults } from "./view-calls.ts";

const integer = z.bigint();
const text = z.string();

/** A field of the state: the function it comes from, as `contract.function`, and its type. */
type Fields = Readonly<Record<string, readonly [view: string, schema: z.ZodType]>>;
type StateOf<F extends Fields> = { readonly [Name in keyof F]: z.output<F[Name][1]> };

const CORE_FIELDS = {
  streamId: ["core.streamId", text],
  genesisTimestamp: ["core.genesisTimestamp", integer],
  roundDuration: ["core.roundDuration", integer],
  maxWorkPerRound: ["core.maxWorkPerRound", integer],
  maxRoundsPerBatch: ["core.maxRoundsPerBatch", integer],
  workPerBlock: ["core.workPerBlock", integer],
  guardian: ["core.guardian", text],
  reporter: ["core.reporter", text],
  settledThroughRound: ["core.settledThroughRound", integer],
  cumulativeWork: ["core.cumulativeWork", integer],
  blockHeight: ["core.blockHeight", integer],
  currentWork: ["core.currentWork", integer],
  authorizationNonce: ["core.authorizationNonce", integer],
  paused: ["core.paused", z.boolean()],
  codeVersion: ["core.codeVersion", text],
  storageLayoutDigest: ["core.storageLayoutDigest", text],
  proxyAdminOwner: ["proxyAdmin.owner", text],
  proposerHasRole: ["timelock.hasRole", z.boolean()],
} as const satisfies Fields;

const ECONOMY_FIELDS = {
  core: ["mining.core", text],
  token: ["mining.token", text],
  collection: ["mining.collection", text],
  mintedThroughRound: ["mining.mintedThroughRound", integer],
  baselineRewardPerBlock: ["mining.baselineRewardPerBlock", integer],
  rewardWeightActivationRound: ["mining.rewardWeightActivationRound", integer],
  implementationVersion: ["mining.implementationVersion", text],
  storageLayoutDigest: ["mining.storageLayoutDigest", text],
  symbol: ["token.symbol", text],
  decimals: ["token.decimals", z.number()],
} as const satisfies Fields;

export type CoreStateRead = StateOf<typeof CORE_FIELDS>;
export type EconomyStateRead = StateOf<typeof ECONOMY_FIELDS>;

/** The node's results for a state. Each check uses those that it needs. */
export type Returned<State> = { readonly [Name in keyof State]: State[Name] | undefined };

export function returnedCore(views: ViewResults): Returned<CoreStateRead> {
  return returned(CORE_FIELDS, views);
}

export function returnedEconomy(views: ViewResults): Returned<EconomyStateRead> {
  return returned(ECONOMY_FIELDS, views);
}

/** Throws `ContradictingResponse` if a function failed. */
export function wholeCore(state: Returned<CoreStateRead>, views: ViewResults): CoreStateRead {
  return whole(CORE_FIELDS, state, views);
}

/** Throws `ContradictingResponse` if a function failed. */
export function wholeEconomy(state: Returned<EconomyStateRead>, views: ViewResults): EconomyStateRead {
  return whole(ECONOMY_FIELDS, state, views);
}

function returned<F extends Fields>(fields: F, views: ViewResults): Returned<StateOf<F>> {
  const read = Object.entries(fields).map(([name, [view, schema]]) => [name, schema.safeParse(views.get(view)).data]);
  return Object.fromEntries(read) as Returned<StateOf<F>>;
}

function whole<F extends Fields>(fields: F, state: Returned<StateOf<F>>, views: ViewResults): StateOf<F> {
  for (const [name, [view]] of Object.entries(fields)) {
    if (state[name] !== undefined) continue;
    const result = views.get(view);
    const why = result instanceof FailedView ? ` (${result.reason})` : "";
    throw new ContradictingResponse(`no usable response to ${view}()${why}`);
  }
  return state as StateOf<F>;
}
