// Every event kind of the onchain resource and of the economy, decoded from a real receipt.
import type { Address } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NO_ANVIL } from "../../../demo/chain/anvil.ts";
import type { Receipt } from "../../../demo/chain/calls.ts";
import { STREAM_ID } from "../../../demo/chain/deploy.ts";
import { deploymentSchema } from "../../../src/chain/deployment.ts";
import { decodeEvents, watchedContracts } from "../../../src/chain/sync/events.ts";
import { type Stage, stage } from "../../support/chain/harness.ts";

describe.skipIf(NO_ANVIL !== undefined)(`events of real receipts${NO_ANVIL ? `: ${NO_ANVIL}` : ""}`, () => {
  let on: Stage;
  beforeAll(async () => {
    on = await stage();
  });
  afterAll(() => on[Symbol.asyncDispose]());

  /** The receipt's events as `kind.name(argument=value, …)`. */
  function eventsOf(receipt: Receipt): string[] {
    const watched = watchedContracts(deploymentSchema.parse(on.world.deployment));
    const block = BigInt(receipt.blockNumber);
    const relevant = receipt.logs.filter(({ address }) => watched.contracts.has(address.toLowerCase()));
    return decodeEvents(watched, block, block, relevant).events.map((event) => {
      const values = event.arguments.map(({ name, value }) => `${name}=${value}`);
      return `${event.contractKind}.${event.eventName}(${values.join(", ")})`;
    });
  }

  test("deployment, initialisation, ownership and the initial roles", async () => {
    const { deployment, implementation, people } = on.world;
    const receipt = await on.world.deployOtherCore();
    const [deployed] = eventsOf(receipt).slice(-1);
    expect(deployed).toMatch(/^factory\.CoreDeployed\(core=0x\w{40}, proxyAdmin=0x\w{40}, implementation=0x\w{40}, /);
    const watched = watchedContracts(deploymentSchema.parse(deployment));
    const block = BigInt(deployment.deploymentBlock);
    const at = `0x${block.toString(16)}`;
    const logs = await on.anvil.rpc("eth_getLogs", [{ fromBlock: at, toBlock: at }]);
    const events = decodeEvents(watched, block, block, logs).events;
    expect(events.map(({ eventName }) => eventName)).toEqual([
      "Upgraded",
      "GuardianChanged",
      "ReporterChanged",
      "Initialized",
      "OwnershipTransferred",
      "AdminChanged",
      "CoreDeployed",
    ]);
    const zero = "0x0000000000000000000000000000000000000000";
    expect(events.map((event) => event.arguments.map(({ value }) => value))).toEqual([
      [implementation],
      [zero, people.guardian],
      [zero, people.reporter],
      ["1"],
      [zero, deployment.operatorTimelock],
      [zero, deployment.proxyAdmin],
      [deployment.core, deployment.proxyAdmin, implementation, STREAM_ID],
    ]);
  });

  test("work and settlement, with the arguments in ABI order", async () => {
    const { world } = on;
    expect(eventsOf(await world.recordWork(1, [600n, 0n]))).toEqual([
      "core.WorkRecorded(round=1, workUnits=600, cumulativeWork=600)",
      "core.WorkRecorded(round=2, workUnits=0, cumulativeWork=600)",
    ]);
    const [settled] = eventsOf(await world.settle({ throughRound: 16, activeRoundCount: 9, workUnits: 12_345n }));
    expect(settled).toMatch(
      new RegExp(
        `^core\\.BatchSettled\\(digest=0x[0-9a-f]{64}, reporter=${world.people.reporter}, settledThroughRound=16, nonce=0, ` +
          "previousSettledThroughRound=0, activeRoundCount=9, cumulativeWork=12345, blockHeight=12\\)$",
      ),
    );
  });

  test("funding, release, claim, weights, units; other contracts' events are ignored", async () => {
    const { world } = on;
    const [player] = world.people.players as [Address];
    expect(eventsOf(await world.fund(16, [[3, 10n ** 18n]]))).toEqual([
      "mining.RoundFunded(round=3, amount=1000000000000000000)",
    ]);
    expect(eventsOf(await world.release(3, 7n))).toEqual(["mining.RoundReleased(round=3, amount=7)"]);
    expect(eventsOf(await world.claim(player, 16, 5n))).toEqual([
      `mining.RewardsClaimed(player=${player}, throughRound=16, amount=5)`,
    ]);
    expect(eventsOf(await world.scheduleRewardWeights(40, 12_500))).toEqual([
      "mining.RewardWeightsScheduled(activationRound=40, multiplierBps=12500)",
    ]);
    expect(eventsOf(await world.mintUnit(player, 3))).toEqual([
      `collection.UnitMinted(player=${player}, unitId=1, unitType=3)`,
    ]);
    await world.mintUnit(player, 4);
    expect(eventsOf(await world.mergeUnits(player, [1n, 2n], 9))).toEqual([
      `collection.UnitsMerged(player=${player}, resultUnitId=3, consumedUnitIds=["1","2"], resultUnitType=9)`,
    ]);
  });
});
