// Reorgs above and below the safe block, disagreeing nodes, and a deleted chain.db (docs/spec/chain.md#reading).
import { describe, expect, test } from "vitest";
import { NO_ANVIL } from "../../../demo/chain/anvil.ts";
import { eventsFrom } from "../../../src/chain/store/read-events.ts";
import { coreOf, reader, stage } from "../../support/chain/harness.ts";
import { type Script, scriptedRpc } from "../../support/chain/scripted-rpc.ts";

const AVAILABLE = ["available", "available"];
const MISMATCH = ["indexer_mismatch", "indexer_mismatch"];

/** Changes the hash of every block requested by number. */
const forked: Script = ({ method }) =>
  method === "eth_getBlockByNumber"
    ? { change: (block: { hash: string }) => ({ ...block, hash: `0x${"f".repeat(64)}` }) }
    : undefined;

describe.skipIf(NO_ANVIL !== undefined)(`reorgs${NO_ANVIL ? `: ${NO_ANVIL}` : ""}`, () => {
  test("5 blocks deep: not noticed, because nothing above the safe block is stored", async () => {
    await using on = await stage();
    await on.world.mine(30);
    using read = reader(on.world.deployment, [on.anvil.url]);
    await on.world.settle({ throughRound: 16, activeRoundCount: 9, workUnits: 5_000n });
    await on.world.mine(3);
    expect(coreOf(await read.poll()).core.settledThroughRound).toBe(0n);
    await on.anvil.rpc("anvil_reorg", [5, []]);
    await on.world.mine(20);
    expect(coreOf(await read.poll()).core.settledThroughRound).toBe(0n);
    expect(eventsFrom(read.chain.db, 0n).filter(({ eventName }) => eventName === "BatchSettled")).toEqual([]);
    expect(read.events.every(({ kind }) => kind === "range" || kind === "good")).toBe(true);
  });

  test("40 blocks deep: a mismatch at the second pass, until the operator deletes chain.db", async () => {
    await using on = await stage();
    const { world } = on;
    await world.mine(20);
    await world.settle({ throughRound: 16, activeRoundCount: 9, workUnits: 5_000n });
    await world.mine(30);
    using read = reader(world.deployment, [on.anvil.url]);
    const before = coreOf(await read.poll());
    expect(before.core.settledThroughRound).toBe(16n);
    await on.anvil.rpc("anvil_reorg", [40, []]);
    await read.poll();
    expect(read.statuses()).toEqual(AVAILABLE);
    await read.poll();
    expect(read.statuses()).toEqual(MISMATCH);
    expect(read.state().safeCore).toBeUndefined();
    expect(read.events.at(-1)).toMatchObject({ kind: "mismatch", check: "snapshot_regression" });
    using again = reader(world.deployment, [on.anvil.url]);
    await again.poll();
    expect(again.statuses()).toEqual(AVAILABLE);
    expect(coreOf(again.state()).core.settledThroughRound).toBe(0n);
    await world.settle({ throughRound: 8, activeRoundCount: 1, workUnits: 700n });
    await world.confirm();
    expect(coreOf(await again.poll()).core.settledThroughRound).toBe(8n);
  });

  test("if one node has another hash, the other node decides", async () => {
    await using on = await stage();
    await on.world.mine(30);
    await using proxy = await scriptedRpc(on.anvil.url);
    using read = reader(on.world.deployment, [proxy.url, on.anvil.url]);
    await read.poll();
    proxy.script = forked;
    for (let poll = 0; poll < 4; poll++) {
      await on.world.mine(1);
      read.now += 10_000;
      await read.poll();
      expect(read.statuses()).toEqual(AVAILABLE);
      expect(coreOf(read.state()).chain.indexedThroughBlock).toBe(BigInt(await on.world.head()));
    }
    // Both nodes agree: two passes over different nodes in one poll.
    await using second = await scriptedRpc(on.anvil.url, forked);
    using both = reader(on.world.deployment, [proxy.url, second.url], { begins: read.now });
    proxy.script = () => undefined;
    second.script = () => undefined;
    await both.poll();
    expect(both.statuses()).toEqual(AVAILABLE);
    proxy.script = forked;
    second.script = forked;
    await both.poll();
    expect(both.statuses()).toEqual(MISMATCH);
    proxy.script = () => undefined;
    await both.poll();
    expect(both.statuses()).toEqual(AVAILABLE);
  });

  test("one address that alternates between two nodes never causes a mismatch", async () => {
    await using on = await stage();
    await on.world.mine(30);
    await using proxy = await scriptedRpc(on.anvil.url);
    using read = reader(on.world.deployment, [proxy.url]);
    await read.poll();
    for (let poll = 0; poll < 6; poll++) {
      proxy.script = poll % 2 === 0 ? forked : () => undefined;
      read.now += 5_000;
      await read.poll();
      expect(read.statuses()).toEqual(AVAILABLE);
    }
  });

  test("if the other node is unreachable, a second pass over the same node confirms", async () => {
    await using on = await stage();
    await on.world.mine(30);
    await using proxy = await scriptedRpc(on.anvil.url);
    await using gone = await scriptedRpc(on.anvil.url);
    using read = reader(on.world.deployment, [proxy.url, gone.url]);
    await read.poll();
    proxy.script = forked;
    gone.script = () => ({ http: { status: 503 } });
    await read.poll();
    expect(read.statuses()).toEqual(AVAILABLE);
    await read.poll();
    expect(read.statuses()).toEqual(MISMATCH);
  });
});
