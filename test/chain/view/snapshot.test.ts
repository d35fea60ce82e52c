// First passes, later polls and restarts: what is read at the safe block, and how many requests it takes
// (docs/spec/chain.md#reading).
import { keccak256 } from "viem";
import { describe, expect, test } from "vitest";
import { NO_ANVIL } from "../../../demo/chain/anvil.ts";
import { deploy } from "../../../demo/chain/calls.ts";
import { readSync } from "../../../src/chain/store/sync-row.ts";
import { MULTICALL3 } from "../../../src/chain/view/reading.ts";
import { coreOf, economyOf, reader, stage } from "../../support/chain/harness.ts";
import { scriptedRpc } from "../../support/chain/scripted-rpc.ts";

describe.skipIf(NO_ANVIL !== undefined)(`the snapshot${NO_ANVIL ? `: ${NO_ANVIL}` : ""}`, () => {
  test("is not_yet_safe until the deployment has 12 confirmations, then shows the chain's state", async () => {
    await using on = await stage();
    const { world, anvil } = on;
    using read = reader(world.deployment, [anvil.url]);
    expect(read.statuses()).toEqual(["not_yet_safe", "not_yet_safe"]);
    await read.poll();
    expect(read.statuses()).toEqual(["not_yet_safe", "not_yet_safe"]);
    await world.mine(world.deployment.deploymentBlock + 11 - (await world.head()));
    await read.poll();
    // The economy is deployed one block after the Core, so only its view has to wait.
    expect(read.statuses()).toEqual(["available", "not_yet_safe"]);
    await world.mine(20);
    const state = await read.poll();
    const core = coreOf(state);
    const head = BigInt(await world.head());
    expect(core.chain).toMatchObject({ indexedThroughBlock: head, safeThroughBlock: head - 11n, chainId: 31337n });
    expect(core.implementation.codeAddress).toBe(world.implementation);
    const code = (await anvil.rpc("eth_getCode", [world.implementation, "latest"])) as `0x${string}`;
    expect(core.implementation.runtimeHash).toBe(keccak256(code));
    expect(core.governance).toEqual({
      operationId: `0x${"0".repeat(64)}`,
      operationKind: "None",
      operationState: "None",
    });
    expect(core.events).toHaveLength(7);
    expect(economyOf(state)).toMatchObject({ symbol: "NOON", mintedThroughRound: 0n, rewardWeightActivationRound: 0n });
    expect(state.safeCore?.lastSettlement).toBeNull();
  });

  test("shows a settlement only at 12 confirmations, and the mining contract itself if it has no proxy", async () => {
    await using on = await stage({ miningBehindProxy: false });
    const { world } = on;
    using read = reader(world.deployment, [on.anvil.url]);
    await world.settle({ throughRound: 3, activeRoundCount: 2, workUnits: 2_500n });
    await world.mine(10);
    expect(coreOf(await read.poll()).core.settledThroughRound).toBe(0n);
    await world.mine(1);
    const state = await read.poll();
    expect(coreOf(state).core).toMatchObject({ settledThroughRound: 3n, blockHeight: 2n, currentWork: 500n });
    expect(state.safeCore?.lastSettlement?.transactionHash).toBe(coreOf(state).source.transactionHash);
    expect(economyOf(state).miningImplementation).toBe(world.deployment.economy?.mining);
  });

  test("is the same through Multicall3", async () => {
    await using on = await stage();
    const { world, anvil } = on;
    await world.settle({ throughRound: 3, activeRoundCount: 2, workUnits: 2_500n });
    await world.mine(12);
    using plain = reader(world.deployment, [anvil.url]);
    const other = await plain.poll();
    const { address } = await deploy(anvil.url, world.people.deployer, "Multicall");
    await anvil.rpc("anvil_setCode", [MULTICALL3, await anvil.rpc("eth_getCode", [address, "latest"])]);
    await world.mine(12);
    const calls: string[] = [];
    await using proxy = await scriptedRpc(anvil.url, ({ method }) => void calls.push(method));
    using through = reader(world.deployment, [proxy.url]);
    const state = await through.poll();
    // One before the first sync, one at its end.
    expect(calls.filter((method) => method === "eth_call")).toHaveLength(2);
    await plain.poll();
    expect(coreOf(state).core).toEqual(coreOf(other).core);
    expect(coreOf(state)).toEqual(coreOf(plain.state()));
    expect(economyOf(state)).toEqual(economyOf(other));
  });

  test("takes one batch request if nothing is new, and three round trips for a new safe block with a settlement", async () => {
    await using on = await stage();
    await using proxy = await scriptedRpc(on.anvil.url);
    using read = reader(on.world.deployment, [proxy.url]);
    await on.world.mine(12);
    await read.poll();
    const cost = async () => {
      const before = proxy.requests;
      await read.poll();
      return proxy.requests - before;
    };
    expect(await cost()).toBe(1);
    const changes = read.chain.changes();
    expect(await cost()).toBe(1);
    expect(read.chain.changes()).toBe(changes);
    await on.world.settle({ throughRound: 3, activeRoundCount: 2, workUnits: 2_500n });
    await on.world.confirm();
    expect(await cost()).toBe(3);
    expect(read.chain.changes()).toBeGreaterThan(changes);
    expect(coreOf(read.state()).core.settledThroughRound).toBe(3n);
  });

  test("finds the timestamps of logs if a node omits them, and reads an economy older than the Core", async () => {
    await using on = await stage();
    for (const throughRound of [3, 9]) {
      await on.world.settle({ throughRound, activeRoundCount: 2, workUnits: 2_500n });
      await on.world.mine(30);
    }
    const { deployment } = on.world;
    using straight = reader(deployment, [on.anvil.url]);
    const core = coreOf(await straight.poll());
    await using proxy = await scriptedRpc(on.anvil.url, ({ method, params }) => {
      if (method !== "eth_getLogs") return undefined;
      const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
      if (Number(toBlock) - Number(fromBlock) > 30) return { error: { code: -32005, message: "block range" } };
      return { change: (logs: object[]) => logs.map((log) => ({ ...log, blockTimestamp: undefined })) };
    });
    using undated = reader(deployment, [proxy.url]);
    expect(coreOf(await undated.poll())).toEqual(core);
    using older = reader({ ...deployment, economy: { ...deployment.economy, deploymentBlock: 1 } }, [on.anvil.url]);
    expect(coreOf(await older.poll())).toEqual(core);
    economyOf(older.state());
  });

  test("another deployment empties the file, and another label only drops the snapshot", async () => {
    await using on = await stage();
    await on.world.mine(12);
    const { deployment } = on.world;
    using read = reader(deployment, [on.anvil.url]);
    await read.poll();
    const { stored } = readSync(read.chain.db);
    using renamed = reader({ ...deployment, target: "renamed" }, [on.anvil.url], { path: read.path });
    expect(renamed.statuses()).toEqual(["indexer_unavailable", "indexer_unavailable"]);
    expect(readSync(renamed.chain.db)).toMatchObject({ stored, snapshot: null });
    expect(coreOf(await renamed.poll()).chain.target).toBe("renamed");
    using other = reader({ ...deployment, deploymentBlock: 3 }, [on.anvil.url], { path: read.path });
    expect(readSync(other.chain.db)).toMatchObject({ stored: undefined, snapshot: null });
    expect(other.statuses()).toEqual(["not_yet_safe", "not_yet_safe"]);
  });
});
