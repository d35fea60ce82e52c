// From a real chain to the API's responses: settlements, mints and activity of contracts on anvil, through the shim.
import type { Address } from "viem";
import { describe, expect, test } from "vitest";
import { NO_ANVIL } from "../../demo/chain/anvil.ts";
import { planActivity } from "../../publish/plan/activity.ts";
import { futureOf } from "../../publish/plan/successors.ts";
import { advanceChainViews } from "../../src/projections/advance.ts";
import { openProjectionsInMemory } from "../../src/projections/open.ts";
import { activityPublications } from "../../src/resources/activity/publication.ts";
import { activityContext } from "../../src/resources/activity/tiles.ts";
import { onchainPublications } from "../../src/resources/onchain/publication.ts";
import { settlementsPublications } from "../../src/resources/settlements/publication.ts";
import { legacySettlementsPublications } from "../../src/resources/settlements-legacy/publication.ts";
import type { WritableSnapshot } from "../../src/resources/snapshot.ts";
import { shimContext } from "../../src/shim/context.ts";
import { respond } from "../../src/shim/respond.ts";
import { type Reader, reader, stage } from "../support/chain/harness.ts";
import { MemoryStore } from "../support/memory-store.ts";
import { putNamedTiles, putResponse } from "../support/publish-response.ts";

const PUBLICATIONS = [
  ...onchainPublications,
  ...settlementsPublications,
  ...legacySettlementsPublications,
  ...activityPublications,
];

/** Publishes from a chain reader, and returns the body that an API reader gets. */
function publisher(read: Reader) {
  const store = new MemoryStore();
  const projections = openProjectionsInMemory();
  return {
    async publish(): Promise<void> {
      const chain = read.state();
      const chainDb = read.chain.db;
      const sources: WritableSnapshot = {
        installationId: "wheel-1",
        ledger: undefined,
        projections,
        chain,
        chainDb,
        genesisTimestamp: chain.genesisTimestamp,
      };
      advanceChainViews(projections, { chain, chainDb });
      const context = activityContext("wheel-1", chain);
      if (context !== undefined) planActivity(projections, context);
      for (const publication of PUBLICATIONS) {
        await putNamedTiles(store, publication, sources);
        const published = await store.get(publication.key);
        const publishedHistory = published && new TextDecoder().decode(published.body);
        const { built, successors } = futureOf(
          (at) => publication.build({ ...sources, publishedHistory }, at),
          read.now,
        );
        await putResponse(store, publication.key, built, successors);
      }
    },
    async get(url: string) {
      const context = shimContext({ store, now: () => read.now, monotonic: () => read.now });
      const { headers, body } = await respond({ method: "GET", url }, context);
      return { headers, body: JSON.parse(new TextDecoder().decode(body)) };
    },
  };
}

describe.skipIf(NO_ANVIL !== undefined)(`a real chain${NO_ANVIL ? `: ${NO_ANVIL}` : ""}`, () => {
  test("a real chain gives settlements, mints, releases, units and claims over HTTP", async () => {
    await using on = await stage();
    const { world } = on;
    const [player] = world.people.players as [Address];
    const { workPerBlock } = await settleTwice();
    using read = reader(world.deployment, [on.anvil.url]);
    const service = publisher(read);
    await read.poll();
    await service.publish();

    const onchain = (await service.get("/v4/public/onchain")).body;
    expect(onchain.core).toMatchObject({ settledThroughRound: "19", cumulativeWork: "14845", blockHeight: "14" });
    const now = await service.get("/v4/public/settlements?range=now");
    expect(now.headers["x-service-settlement-source"]).toBe("live");
    expect(now.body.summary).toEqual({
      settlementCount: "2",
      activeRoundCount: "11",
      workAdded: "14845",
      completedBlockCount: String(14_845n / workPerBlock),
      archivedSettlementCount: "0",
    });
    expect(now.body.recentSettlements.map(({ mint }: { mint: unknown }) => mint)).toEqual([
      { state: "pending", amountBaseUnits: String(2n * BigInt(await baseline(read))) },
      { state: "confirmed", amountBaseUnits: "3000" },
    ]);
    const legacy = (await service.get("/v3/public/settlements?range=24h")).body;
    expect(legacy).toMatchObject({ schemaVersion: 3, status: "available", range: "24h" });

    const feed = (await service.get("/v1/public/activity")).body;
    expect(feed.events.map(({ type }: { type: string }) => type)).toEqual([
      "player.rewards_claimed",
      "player.units_merged",
      "player.unit_minted",
      "player.unit_minted",
      "system.round_released",
      "system.settlement_completed",
      "system.settlement_completed",
    ]);
    expect(feed.events[1].payload).toMatchObject({ player, consumedUnitIds: ["1", "2"] });
    expect(feed.events[5].payload).toMatchObject({ previousSettledThroughRound: "16", workAdded: "2500" });

    async function settleTwice(): Promise<{ workPerBlock: bigint }> {
      await world.settle({ throughRound: 16, activeRoundCount: 9, workUnits: 12_345n });
      await world.settle({ throughRound: 19, activeRoundCount: 2, workUnits: 2_500n });
      await world.fund(16, [
        [3, 1000n],
        [16, 2000n],
      ]);
      await world.release(3, 7n);
      await world.mintUnit(player, 3);
      await world.mintUnit(player, 4);
      await world.mergeUnits(player, [1n, 2n], 9);
      await world.claim(player, 16, 5n);
      await world.confirm();
      return { workPerBlock: 1000n };
    }
  });

  test("without the node saved history is served, and the other views are unavailable", async () => {
    await using on = await stage();
    await on.world.settle({ throughRound: 16, activeRoundCount: 9, workUnits: 12_345n });
    await on.world.confirm();
    using read = reader(on.world.deployment, [on.anvil.url]);
    const service = publisher(read);
    await read.poll();
    await service.publish();
    const live = await service.get("/v4/public/settlements?range=now&queue=1");
    await on.anvil.stop();
    read.now += 20_000;
    await read.poll();
    await service.publish();
    const saved = await service.get("/v4/public/settlements?range=now&queue=1");
    expect(saved.body).toEqual(live.body);
    expect(saved.headers["x-service-settlement-source"]).toBe("durable-cache");
    expect(saved.headers["x-service-settlement-fallback-reason"]).toBe("indexer_unavailable");
    expect(saved.headers.etag).not.toBe(live.headers.etag);
    for (const url of ["/v4/public/onchain", "/v1/public/activity?category=players"]) {
      expect((await service.get(url)).body).toMatchObject({ status: "unavailable", reason: "indexer_unavailable" });
    }
  });
});

async function baseline(read: Reader): Promise<string> {
  const { economy } = read.state();
  return economy.status === "available" ? String(economy.view.baselineRewardPerBlock) : economy.reason;
}
