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
  addEvents,
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

test.each<[string, SettlementsVariant, string, string]>([
  ["an hour", "24h", "2026-11-20T10:00:00.000Z", "2026-11-20T11:00:00.000Z"],
  ["a millisecond before the hour", "24h", "2026-11-20T09:59:59.999Z", "2026-11-20T10:00:00.000Z"],
  ["noon itself", "7d", "2026-11-20T12:00:00.000Z", "2026-11-21T12:00:00.000Z"],
  ["just before noon", "30d", "2026-11-20T11:59:59.999Z", "2026-11-20T12:00:00.000Z"],
])("the window at %s ends at the next boundary strictly after it", (_, range, at, endAt) => {
  const given = sources();
  const state = { ...given, chain: { ...given.chain, validUntil: Number.POSITIVE_INFINITY } };
  expect(parse(buildSettlements(range, state, undefined, Date.parse(at))).window.endAt).toBe(endAt);
});

test("a settlement belongs to the bucket of its block's time, which includes its start but not its end", () => {
  const end = Date.parse("2026-11-20T11:00:00.000Z");
  const at = (time: number, block: bigint): Batch => ({ block, time, rounds: 1n, activeRounds: 1n, work: 10n });
  const hour = 3_600_000;
  const body = parse(
    buildSettlements(
      "24h",
      sources([at(end - 24 * hour - 1, 101n), at(end - 24 * hour, 102n), at(end - 1, 103n), at(end, 104n)]),
      undefined,
      AT,
    ),
  );
  const counts = body.buckets.map((bucket: { settlementCount: string }) => bucket.settlementCount);
  expect(counts).toEqual(["1", ...Array.from({ length: 22 }, () => "0"), "1"]);
  expect(body.summary.settlementCount).toBe("2");
});

test("a projection without a completed block has no bounds", () => {
  const given = sources();
  const { expected } = candidate(given.chain.core);
  const none = candidate(given.chain.core, {
    expected: { blockHeight: expected.blockHeight - 3n, completedBlockCount: 0n },
  });
  const queue = parse(buildSettlements("queue", given, none, AT)).queueProjection;
  expect(queue).toMatchObject({ firstCompletedBlock: null, lastCompletedBlock: null, completedBlockCount: "0" });
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

test("the tag depends on range, source, reason, content and queue, but not on generatedAt", () => {
  const given = sources();
  const queued = candidate(given.chain.core);
  const tag = (variant: SettlementsVariant, at = AT) => buildSettlements(variant, given, queued, at).headers.etag;
  expect(tag("now", AT + 1000)).toBe(tag("now"));
  expect(tag("7d", AT + 1000)).toBe(tag("7d"));
  const legacy = buildLegacySettlements("now", given, AT).headers.etag;
  const durable = buildSettlements("now", given, undefined, AT).successor?.headers.etag;
  const tags = [tag("now"), tag("queue"), tag("24h"), tag("7d"), tag("30d"), tag("24h", AT + 3_600_000)];
  expect(new Set([...tags, legacy, durable]).size).toBe(8);
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

test("a bounded window is valid for at most a minute after its end", () => {
  const given = sources();
  const long = { ...given, chain: { ...given.chain, validUntil: AT + 86_400_000 } };
  const until = (variant: SettlementsVariant) => buildSettlements(variant, long, undefined, AT).nextChangeAt;
  expect(until("24h")).toBe(Date.parse("2026-11-20T11:01:00.000Z"));
  expect(until("7d")).toBe(Date.parse("2026-11-20T12:01:00.000Z"));
  expect(until("now")).toBe(AT + 86_400_000);
});

test("batches that do not lead to the Core's state are not published", () => {
  const given = sources();
  const other = { ...given, chain: settledChain(regularBatches(15, 1, 20)) };
  expect(() => buildSettlements("now", other, undefined, AT)).toThrow("the Core is at");
  expect(() => buildLegacySettlements("now", other, AT)).toThrow("the Core is at");
});

test("a new batch is in every range immediately, and a rewind removes it", () => {
  const batches = regularBatches(5, 1, 3);
  const projections = projectionsDb();
  const fewer = batches.slice(0, 4);
  const db = chainDb(batchEvents(fewer), 500);
  const counts = (settled: typeof batches, chainDb: typeof db, safe: bigint) => {
    const chain = settledChain(settled, {}, safe);
    advanceChainViews(projections, { chain, chainDb });
    return (["now", "24h", "7d", "30d"] as const).map((range) => {
      const sources = { installationId: "wheel-1", chain, projections };
      return JSON.parse(buildSettlements(range, sources, undefined, AT).body).summary.settlementCount;
    });
  };
  expect(counts(fewer, db, 140n)).toEqual(["4", "4", "4", "4"]);
  addEvents(db, batchEvents(batches).slice(4));
  expect(counts(batches, db, 500n)).toEqual(["5", "5", "5", "5"]);
  expect(counts(fewer, chainDb(batchEvents(fewer), 500, "rewound"), 500n)).toEqual(["4", "4", "4", "4"]);
});
