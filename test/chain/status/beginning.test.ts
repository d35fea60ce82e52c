// A publisher that has just started reports the chain as undecided (docs/spec/chain.md#reading).
import { describe, expect, test } from "vitest";
import { NO_ANVIL } from "../../../demo/chain/anvil.ts";
import { RPC_LIMITS } from "../../../src/chain/rpc/rpc-node.ts";
import { reader, stage } from "../../support/chain/harness.ts";
import { type Script, scriptedRpc } from "../../support/chain/scripted-rpc.ts";

const AVAILABLE = ["available", "available"];
const broken: Script = () => ({ http: { status: 500 } });

describe.skipIf(NO_ANVIL !== undefined)(`a publisher that has just started${NO_ANVIL ? `: ${NO_ANVIL}` : ""}`, () => {
  test("with a lost file it is undecided while the sync takes, and no longer if the sync fails", async () => {
    await using on = await stage();
    await on.world.settle({ throughRound: 3, activeRoundCount: 2, workUnits: 2_500n });
    await on.world.mine(200);
    await using proxy = await scriptedRpc(on.anvil.url);
    using read = reader(on.world.deployment, [proxy.url]);
    const slow: Script = ({ method, params }) => {
      if (method !== "eth_getLogs") return undefined;
      read.now += 15_000;
      const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
      return Number(toBlock) - Number(fromBlock) > 20 ? { error: { code: -32005, message: "block range" } } : undefined;
    };
    proxy.script = slow;
    expect(read.state().isUndecided).toBe(true);
    await read.poll();
    expect(read.statuses()[0]).toBe("not_yet_safe");
    expect(read.state().isUndecided).toBe(true);
    proxy.script = broken;
    await read.poll();
    expect(read.statuses()[0]).toBe("indexer_unavailable");
    expect(read.state().isUndecided).toBe(false);
    proxy.script = () => undefined;
    await read.poll();
    expect(read.statuses()).toEqual(AVAILABLE);
    expect(read.state().isUndecided).toBe(false);
  });

  test("an unresponsive node: a first sync that runs out of time has not failed, a second one has", async () => {
    await using on = await stage();
    await on.world.mine(30);
    const limits = { ...RPC_LIMITS, requestTimeout: 40 };
    await using proxy = await scriptedRpc(on.anvil.url, () => ({ hang: true }));
    using read = reader(on.world.deployment, [proxy.url], { limits });
    const poll = () => read.chain.poll(read.now, read.now + 250);
    await poll();
    const says = () => read.state().core;
    expect(says()).toMatchObject({ reason: "not_yet_safe" });
    expect(read.chain.problem()?.event.kind).toBe("failed");
    await poll();
    expect(says()).toMatchObject({ reason: "indexer_unavailable" });
  });
});
