import { expect, test } from "vitest";
import { futureOf } from "../../../publish/plan/successors.ts";
import type { ChainState, EconomyView } from "../../../src/chain/chain-state.ts";
import { advanceChainViews } from "../../../src/projections/advance.ts";
import {
  buildSettlements,
  type QueueCandidate,
  type SettlementsVariant,
} from "../../../src/resources/settlements/build.ts";
import { buildLegacySettlements } from "../../../src/resources/settlements-legacy/build.ts";
import {
  type Batch,
  batchEvents,
  chainDb,
  fundingEvent,
  projectionsDb,
  regularBatches,
  settledChain,
} from "../../support/chain/chain-db.ts";
import { AT } from "../../support/chain/chain-state.ts";

const BATCHES = regularBatches(16, 1, 20);
const FRONTIER = 16n * 16n;
/** Rounds 1 to 240 are funded, so all but the newest batch are minted. */
const FUNDING = Array.from({ length: 240 }, (_, index) =>
  fundingEvent(300n, index, BigInt(index + 1), 10n ** 18n + BigInt(index)),
);
const MINTED = { mintedThroughRound: 240n };

/** Expected to follow the frontier of BATCHES and to complete three blocks. */
function candidate(core: ChainState["core"], overrides: Partial<QueueCandidate> = {}): QueueCandidate {
  const height = core.status === "available" ? core.view.core.blockHeight : 0n;
  return {
    previousSettledThroughRound: FRONTIER,
    settledThroughRound: FRONTIER + 16n,
    activeRoundCount: 9,
    expected: { blockHeight: height + 3n, completedBlockCount: 3n },
    ...overrides,
  };
}

function sources(batches: readonly Batch[] = BATCHES, economy: Partial<EconomyView> = MINTED) {
  const chain = settledChain(batches, economy);
  const projections = projectionsDb();
  advanceChainViews(projections, { chain, chainDb: chainDb([...batchEvents(batches), ...FUNDING]) });
  return { installationId: "wheel-1", chain, projections };
}

const parse = (built: { body: string }) => JSON.parse(built.body);

test.each<SettlementsVariant>(["now", "queue", "24h", "7d"])("v4 %s equals its golden body", async (variant) => {
  const given = sources();
  const built = buildSettlements(variant, given, candidate(given.chain.core), AT);
  await expect(`${JSON.stringify(parse(built), null, 2)}\n`).toMatchFileSnapshot(`golden/v4-${variant}.json`);
  expect(built.headers).toEqual({
    "cache-control": "public, max-age=0, must-revalidate",
    etag: expect.stringMatching(/^"[\w-]{43}"$/),
    "x-service-settlement-source": "live",
  });
});

test.each(["now", "24h"] as const)("v3 %s equals its golden body", async (range) => {
  const built = buildLegacySettlements(range, sources(), AT);
  await expect(`${JSON.stringify(parse(built), null, 2)}\n`).toMatchFileSnapshot(`golden/v3-${range}.json`);
  expect(parse(built).chain).not.toHaveProperty("economyDeploymentBlock");
});

test.each<[string, Partial<QueueCandidate> | undefined, Partial<EconomyView>]>([
  ["there is no candidate", undefined, {}],
  ["it starts elsewhere", { previousSettledThroughRound: FRONTIER - 1n }, {}],
  ["its blocks do not add up", { expected: { blockHeight: 999n, completedBlockCount: 3n } }, {}],
  ["reward weights change at its first round", {}, { rewardWeightActivationRound: FRONTIER + 1n }],
  ["reward weights change at its last round", {}, { rewardWeightActivationRound: FRONTIER + 16n }],
  ["its amount has no decimal string", {}, { baselineRewardPerBlock: 2n ** 255n }],
])("the queue projection is omitted if %s, and the tag is that of range=now", (_, overrides, economy) => {
  // A wide reward would also break the pending mint, so everything is minted here.
  const given = sources(BATCHES, { mintedThroughRound: FRONTIER, ...economy });
  const queued = overrides === undefined ? undefined : candidate(given.chain.core, overrides);
  const built = buildSettlements("queue", given, queued, AT);
  expect(parse(built)).not.toHaveProperty("queueProjection");
  expect(built).toEqual(buildSettlements("now", given, undefined, AT));
});

test.each([FRONTIER, FRONTIER + 17n])("reward weights that change at %s do not affect the projection", (activation) => {
  const given = sources(BATCHES, { ...MINTED, rewardWeightActivationRound: activation });
  const built = buildSettlements("queue", given, candidate(given.chain.core), AT);
  expect(parse(built)).toHaveProperty("queueProjection");
});

test("after its validity the same body is served as saved history, without the queue projection", () => {
  const given = sources();
  const future = (variant: SettlementsVariant) =>
    futureOf((at) => buildSettlements(variant, given, candidate(given.chain.core), at), AT);
  const [now, queue] = [future("now"), future("queue")];
  expect(now.successors).toEqual([
    {
      from: AT + 600_000,
      headers: {
        etag: now.built.successor?.headers.etag,
        "x-service-settlement-source": "durable-cache",
        "x-service-settlement-fallback-reason": "indexer_unavailable",
      },
    },
  ]);
  expect(queue.successors[0]?.edits).toHaveLength(1);
  expect(queue.built.successor?.body).toBe(now.built.body);
  expect(queue.built.successor?.headers.etag).toBe(now.built.successor?.headers.etag);
});

test("batches that do not lead to the Core's state are not published", () => {
  const given = sources();
  const other = { ...given, chain: settledChain(regularBatches(15, 1, 20)) };
  expect(() => buildSettlements("now", other, undefined, AT)).toThrow("the Core is at");
  expect(() => buildLegacySettlements("now", other, AT)).toThrow("the Core is at");
});
