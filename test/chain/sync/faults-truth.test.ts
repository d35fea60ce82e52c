// Data faults of a node: behind, ahead of itself, wrong chain; lost, repeated and foreign logs.

import { describe, expect, test } from "vitest";
import type { RawLog } from "../../../demo/chain/anvil.ts";
import { NO_ANVIL } from "../../../demo/chain/anvil.ts";
import { eventsFrom } from "../../../src/chain/store/read-events.ts";
import { readSync } from "../../../src/chain/store/sync-row.ts";
import { coreOf, reader, stage } from "../../support/chain/harness.ts";
import { type Call, type Script, scriptedRpc } from "../../support/chain/scripted-rpc.ts";
import { type World } from "../../support/chain/world.ts";

const BATCH_SETTLED = "0x";
const UNAVAILABLE = ["indexer_unavailable", "indexer_unavailable"];
const MISMATCH = ["indexer_mismatch", "indexer_mismatch"];
const AVAILABLE = ["available", "available"];

const settle = (world: World, batch: number) =>
  world.settle({ throughRound: batch * 16, activeRoundCount: 9, workUnits: 12_345n });
const logs = ({ method }: Call) => method === "eth_getLogs";
/** Omits the log at one position of the chain. */
const losing =
  (block: number): Script =>
  (call) =>
    logs(call) ? { change: (found: RawLog[]) => found.filter((log) => Number(log.blockNumber) !== block) } : undefined;

describe.skipIf(NO_ANVIL !== undefined)(`data faults${NO_ANVIL ? `: ${NO_ANVIL}` : ""}`, () => {
  test("an empty result above the node's own head proves nothing", async () => {
    await using on = await stage();
    await on.world.mine(30);
    await using proxy = await scriptedRpc(on.anvil.url);
    using read = reader(on.world.deployment, [proxy.url]);
    const before = coreOf(await read.poll());
    proxy.script = (call) => {
      if (call.method === "eth_blockNumber")
        return { change: (head: string) => `0x${(Number(head) + 40).toString(16)}` };
      return logs(call) ? { result: [] } : undefined;
    };
    await read.poll();
    expect(readSync(read.chain.db).stored?.block).toBe(before.chain.safeThroughBlock);
    read.now += 15_000;
    expect(read.statuses()).toEqual(UNAVAILABLE);
    proxy.script = () => undefined;
    await settle(on.world, 1);
    await on.world.mine(40);
    expect(coreOf(await read.poll()).core.settledThroughRound).toBe(16n);
  });

  test("another chain id is a mismatch at once, until it is corrected", async () => {
    await using on = await stage();
    await on.world.mine(30);
    await using proxy = await scriptedRpc(on.anvil.url);
    using read = reader(on.world.deployment, [proxy.url]);
    await read.poll();
    proxy.script = ({ method }) => (method === "eth_chainId" ? { result: "0x1" } : undefined);
    await read.poll();
    expect(read.statuses()).toEqual(MISMATCH);
    expect(read.state().safeCore).toBeUndefined();
    expect(read.events.at(-1)).toMatchObject({ kind: "mismatch", check: "chain_id" });
    using again = read.reopen();
    expect(again.statuses()).toEqual(UNAVAILABLE);
    proxy.script = () => undefined;
    await again.poll();
    expect(again.statuses()).toEqual(AVAILABLE);
  });

  test("a log that is missing once is not trusted, and the pass stores nothing", async () => {
    await using on = await stage();
    await on.world.mine(30);
    await using proxy = await scriptedRpc(on.anvil.url);
    using read = reader(on.world.deployment, [proxy.url]);
    const before = coreOf(await read.poll());
    const { blockNumber } = await settle(on.world, 1);
    await on.world.confirm();
    proxy.script = losing(blockNumber);
    await read.poll();
    expect(coreOf(read.state())).toEqual(before);
    expect(readSync(read.chain.db).stored?.block).toBe(before.chain.safeThroughBlock);
    expect(read.events.at(-1)).toMatchObject({ kind: "unconfirmed_fault", check: "settlement_state" });
    proxy.script = () => undefined;
    expect(coreOf(await read.poll()).core.settledThroughRound).toBe(16n);
  });

  test("a log that is missing in two passes is a mismatch, until a pass has it", async () => {
    await using on = await stage();
    await on.world.mine(30);
    await using proxy = await scriptedRpc(on.anvil.url);
    using read = reader(on.world.deployment, [proxy.url]);
    await read.poll();
    const { blockNumber } = await settle(on.world, 1);
    await settle(on.world, 2);
    await on.world.confirm();
    proxy.script = losing(blockNumber);
    await read.poll();
    expect(read.statuses()).toEqual(AVAILABLE);
    await on.world.mine(3);
    await read.poll();
    expect(read.statuses()).toEqual(MISMATCH);
    expect(read.events.at(-1)).toMatchObject({ kind: "mismatch", check: "settlement_continuity" });
    await read.poll();
    expect(read.statuses()).toEqual(MISMATCH);
    proxy.script = () => undefined;
    expect(coreOf(await read.poll()).core.settledThroughRound).toBe(32n);
    expect(read.statuses()).toEqual(AVAILABLE);
  });

  test("a stored range's missing log is found later, and the history changes", async () => {
    await using on = await stage();
    await using proxy = await scriptedRpc(on.anvil.url);
    await settle(on.world, 1);
    const { blockNumber } = await settle(on.world, 2);
    await on.world.mine(40);
    // Ranges of ten blocks: the range without the log is stored before the next settlement reveals it.
    const short: Script = (call) => {
      const { fromBlock, toBlock } = (logs(call) ? call.params[0] : {}) as { fromBlock: string; toBlock: string };
      return Number(toBlock) - Number(fromBlock) > 9
        ? { error: { code: -32600, message: "block range is too wide" } }
        : undefined;
    };
    proxy.script = (call, request) => short(call, request) ?? losing(blockNumber)(call, request);
    using read = reader(on.world.deployment, [proxy.url]);
    await read.poll();
    const { history } = readSync(read.chain.db);
    expect(eventsFrom(read.chain.db, BigInt(blockNumber + 1)).length).toBe(0);
    proxy.script = short;
    expect(coreOf(await read.poll()).core.settledThroughRound).toBe(32n);
    expect(readSync(read.chain.db).history).not.toBe(history);
    expect(read.statuses()).toEqual(AVAILABLE);
  });

  test("a repeated log counts once, and a foreign or contradicting log fails the pass", async () => {
    await using on = await stage();
    await settle(on.world, 1);
    await settle(on.world, 2);
    await on.world.confirm();
    await using proxy = await scriptedRpc(on.anvil.url);
    using read = reader(on.world.deployment, [proxy.url]);
    const changes: Record<string, (found: RawLog[]) => unknown> = {
      "of a contract that was not requested": (found) => [...found, { ...found[0], address: `0x${"1".repeat(40)}` }],
      "of a block outside the range": (found) => [...found, { ...found[0], blockNumber: "0xffff" }],
      "two at the same index": (found) => [...found, { ...found.at(-1), data: found[0]?.data ?? BATCH_SETTLED }],
      "two hashes of one block": (found) => [{ ...found[0], blockHash: `0x${"2".repeat(64)}` }, ...found],
      "of a block for which the node has another hash": (found) =>
        found.map((log) => ({ ...log, blockHash: `0x${Number(log.blockNumber).toString(16).padStart(64, "3")}` })),
      "cut short": (found) => found.map((log) => ({ ...log, data: log.data.slice(0, -2) })),
      "without its block": (found) => found.map((log) => ({ ...log, blockNumber: null })),
      "a number in place of logs": () => 7,
    };
    for (const [, change] of Object.entries(changes)) {
      proxy.script = (call) => (logs(call) ? { change } : undefined);
      await read.poll();
      expect(read.statuses()).toEqual(UNAVAILABLE);
      expect(eventsFrom(read.chain.db, 0n)).toEqual([]);
    }
    proxy.script = (call) => (logs(call) ? { change: (found: RawLog[]) => [...found, ...found] } : undefined);
    expect(coreOf(await read.poll()).core.settledThroughRound).toBe(32n);
    expect(eventsFrom(read.chain.db, 0n)).toHaveLength(9);
  });
});
