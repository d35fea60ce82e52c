/** A chain whose fork has outgrown what was published takes nothing back, with any publisher state. */

import { writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { call, NO_ANVIL } from "../../demo/chain/anvil.ts";
import { stage } from "../support/chain/harness.ts";
import { type World } from "../support/chain/world.ts";
import { Scene } from "./scene.ts";

/** Rounds settled in batches of at most 16, with enough blocks after them to make them safe. */
async function settleThrough(world: World, round: number, emptyBlocks: number): Promise<void> {
  for (let through = 16; through < round + 16; through += 16) {
    await world.settle({ throughRound: Math.min(through, round), activeRoundCount: 1, workUnits: 100n });
  }
  await world.mine(emptyBlocks);
}

it.skipIf(NO_ANVIL !== undefined).each([
  ["that lost its state", "lost"],
  ["that has followed the fork as a standby", "followed"],
])("a publisher %s rejects a fork that is longer than the published chain", async (_, state) => {
  await using on = await stage();
  await using scene = new Scene({ ledger: "none", deployment: "deployment.json", rpcUrl: on.anvil.url });
  delete scene.settings.genesisTimestamp;
  writeFileSync(scene.file("deployment.json"), JSON.stringify(on.world.deployment));
  const fork = await call(on.anvil.url, "evm_snapshot");
  await settleThrough(on.world, 40, 12);
  expect(await scene.run("publish", "--once")).toMatchObject({ exitCode: 0 });
  const published = async () => (await scene.read("/v4/public/onchain", 0)).body;
  const before = await published();
  expect(before.core.settledThroughRound).toBe("40");
  await call(on.anvil.url, "evm_revert", [fork]);
  await settleThrough(on.world, 36, 32);
  if (state === "followed") {
    // It has followed the fork from nothing, as a publisher to another store does.
    expect(await scene.run("publish", "--once", "--state", state, "--store", "other")).toMatchObject({ exitCode: 0 });
  }
  const { exitCode, stderr } = await scene.run("publish", "--once", "--state", state);
  const now = await published();
  expect([now.core?.settledThroughRound, now.chain?.safeThroughBlock]).toEqual(["40", before.chain.safeThroughBlock]);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining("noonmark: chain_behind: ")]);
});
