// A node that repeats its last head: other nodes are asked, and its passes do not stay good.
import { describe, expect, test } from "vitest";
import { NO_ANVIL } from "../../../demo/chain/anvil.ts";
import { readSync } from "../../../src/chain/store/sync-row.ts";
import { coreOf, type Reader, reader, stage } from "../../support/chain/harness.ts";
import { type Script, scriptedRpc } from "../../support/chain/scripted-rpc.ts";

const AVAILABLE = ["available", "available"];
const UNAVAILABLE = ["indexer_unavailable", "indexer_unavailable"];
const POLL_MS = 5_000;
const origin = (url: string) => new URL(url).origin;

/** Repeats the first head. */
function frozen(): Script {
  let first: unknown;
  return ({ method }) =>
    method === "eth_blockNumber"
      ? {
          change: (head: unknown) => {
            first ??= head;
            return first;
          },
        }
      : undefined;
}

/** Polls every five seconds of the test's clock. */
async function pollFor(read: Reader, ms: number): Promise<void> {
  for (const end = read.now + ms; read.now < end; ) {
    read.now += POLL_MS;
    await read.poll();
  }
}

const safeOf = (read: Reader) => Number(coreOf(read.state()).chain.safeThroughBlock);
const problemOf = (read: Reader) => read.chain.problem()?.event;

describe.skipIf(NO_ANVIL !== undefined)(`a stalled head${NO_ANVIL ? `: ${NO_ANVIL}` : ""}`, () => {
  test.each([
    [1, 35_000],
    [2, 20_000],
  ])(
    "with rpcQuorum %d a frozen first node hides new blocks for %d ms at most, and is named",
    async (rpcQuorum, ms) => {
      await using on = await stage();
      await on.world.mine(20);
      await using liar = await scriptedRpc(on.anvil.url, frozen());
      await using second = await scriptedRpc(on.anvil.url);
      await using third = await scriptedRpc(on.anvil.url);
      using read = reader(on.world.deployment, [liar.url, second.url, third.url], { rpcQuorum });
      await read.poll();
      const before = safeOf(read);
      const since = new Date(read.now).toISOString();
      await on.world.mine(64);
      await pollFor(read, ms);
      expect(safeOf(read)).toBe(before + 64);
      expect(problemOf(read)).toEqual({
        kind: "stalled",
        node: origin(liar.url),
        detail: `its newest block has been ${before + 11} since ${since}`,
      });
      expect(read.statuses()).toEqual(AVAILABLE);
      // The node is still named while the others give good passes.
      await pollFor(read, POLL_MS);
      expect(read.events.at(-1)).toMatchObject({ kind: "stalled", node: origin(liar.url) });
      // A restart forgets since when the head is stalled; it is named again after half a minute.
      using again = read.reopen();
      await pollFor(again, 40_000);
      expect(problemOf(again)).toMatchObject({ kind: "stalled", node: origin(liar.url) });
      liar.script = () => undefined;
      await pollFor(again, POLL_MS);
      expect(problemOf(again)).toBeUndefined();
    },
  );

  test.each([[1], [2]])(
    "with rpcQuorum %d a paused chain stays available, at one question every 15 s",
    async (rpcQuorum) => {
      await using on = await stage();
      await on.world.mine(20);
      await using second = await scriptedRpc(on.anvil.url);
      await using third = await scriptedRpc(on.anvil.url);
      using read = reader(on.world.deployment, [on.anvil.url, second.url, third.url], { rpcQuorum });
      await read.poll();
      second.requests = third.requests = 0;
      await pollFor(read, 660_000);
      expect(read.statuses()).toEqual(AVAILABLE);
      expect(problemOf(read)).toBeUndefined();
      expect([second.requests, third.requests]).toEqual([22, 22]);
    },
  );

  test("with one address a head that has not moved for chainMaxAge is no good pass, also over a restart", async () => {
    await using on = await stage();
    await on.world.mine(20);
    using read = reader(on.world.deployment, [on.anvil.url]);
    await read.poll();
    const since = read.now;
    await pollFor(read, 595_000);
    expect(read.statuses()).toEqual(AVAILABLE);
    using again = read.reopen();
    await pollFor(again, 5_000);
    expect(problemOf(again)).toMatchObject({ kind: "stalled", node: origin(on.anvil.url) });
    expect(readSync(again.chain.db).lastGoodPassAt).toBe(since + 595_000);
    await pollFor(again, 20_000);
    expect(again.statuses()).toEqual(UNAVAILABLE);
    await on.world.mine(1);
    await pollFor(again, POLL_MS);
    expect(again.statuses()).toEqual(AVAILABLE);
    expect(problemOf(again)).toBeUndefined();
  });

  test.each([
    [
      "on another chain",
      ({ method }: { method: string }) => (method === "eth_chainId" ? { result: "0x5" } : undefined),
    ],
    [
      "with another hash of the stored block",
      ({ method }: { method: string }) =>
        method === "eth_getBlockByNumber"
          ? { change: (block: object) => ({ ...block, hash: `0x${"9".repeat(64)}` }) }
          : undefined,
    ],
  ])("a node %s that claims more blocks is not followed", async (_, foreign) => {
    await using on = await stage();
    await on.world.mine(20);
    await using other = await scriptedRpc(on.anvil.url, (call) =>
      call.method === "eth_blockNumber" ? { result: "0xffff" } : (foreign(call) as never),
    );
    using read = reader(on.world.deployment, [on.anvil.url, other.url]);
    await read.poll();
    await pollFor(read, 60_000);
    expect(read.statuses()).toEqual(AVAILABLE);
    expect(problemOf(read)).toBeUndefined();
  });
});
