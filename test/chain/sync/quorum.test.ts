// Nodes that lie, lag or do not respond: with rpcQuorum 2 nothing is stored that only one node reports.

import { describe, expect, test } from "vitest";
import type { RawLog } from "../../../demo/chain/anvil.ts";
import { NO_ANVIL } from "../../../demo/chain/anvil.ts";
import { eventsFrom } from "../../../src/chain/store/read-events.ts";
import { coreOf, economyOf, type Reader, reader, stage } from "../../support/chain/harness.ts";
import { type Script, scriptedRpc } from "../../support/chain/scripted-rpc.ts";
import { type World } from "../../support/chain/world.ts";

const AVAILABLE = ["available", "available"];
const UNAVAILABLE = ["indexer_unavailable", "indexer_unavailable"];
/** More than the number of blocks near the head whose blooms are compared. */
const FAR = 100;

/** A settlement with its funding, far below the safe block. */
async function settled(world: World): Promise<void> {
  await world.settle({ throughRound: 16, activeRoundCount: 9, workUnits: 12_345n });
  await world.fund(16, [[1, 5n]]);
  await world.mine(FAR);
}

const names = ({ chain }: Reader) => eventsFrom(chain.db, 0n).map(({ eventName }) => eventName);
const named = ({ events }: Reader) =>
  new Set(events.flatMap((event) => (event.kind === "disagreement" ? [event.node] : [])));
const origin = (url: string) => new URL(url).origin;

/** Consistently reports that mining has never funded a round. */
const hidingFundings =
  (mining: string): Script =>
  ({ method }) =>
    method === "eth_getLogs"
      ? { change: (found: RawLog[]) => found.filter(({ address }) => address.toLowerCase() !== mining.toLowerCase()) }
      : undefined;

describe.skipIf(NO_ANVIL !== undefined)(`a quorum of nodes${NO_ANVIL ? `: ${NO_ANVIL}` : ""}`, () => {
  test("without a quorum a log that one node hides far below the head is missed, and with a quorum nothing is stored", async () => {
    await using on = await stage();
    await settled(on.world);
    const { mining } = on.world.deployment.economy as { mining: string };
    await using liar = await scriptedRpc(on.anvil.url, hidingFundings(mining));
    await using honest = await scriptedRpc(on.anvil.url);
    await using third = await scriptedRpc(on.anvil.url);

    using alone = reader(on.world.deployment, [liar.url, honest.url]);
    await alone.poll();
    expect(alone.statuses()).toEqual(AVAILABLE);
    expect(names(alone)).not.toContain("RoundFunded");

    using pair = reader(on.world.deployment, [liar.url, honest.url], { rpcQuorum: 2 });
    await pair.poll();
    expect(names(pair)).toEqual([]);
    expect(named(pair)).toEqual(new Set([origin(liar.url), origin(honest.url)]));
    expect(pair.statuses()).toEqual(UNAVAILABLE);
    expect(pair.chain.problem()?.event).toMatchObject({ kind: "disagreement" });

    using most = reader(on.world.deployment, [liar.url, honest.url, third.url], { rpcQuorum: 2 });
    await most.poll();
    expect(most.statuses()).toEqual(AVAILABLE);
    expect(names(most)).toContain("RoundFunded");
    expect(most.chain.problem()?.event).toMatchObject({
      kind: "disagreement",
      node: origin(liar.url),
      detail: expect.stringMatching(
        / disagrees on blocks \d+ to \d+: the events: \d+ instead of \d+, or different ones$/,
      ),
    });
    const since = new Date(most.now).toISOString();
    expect(most.chain.describe()).toMatchObject({ kind: "disagreement", node: origin(liar.url), since });
    // Nothing new is read. The node's record is kept, even over a restart.
    most.events.length = 0;
    await most.poll();
    expect(named(most)).toEqual(new Set([origin(liar.url)]));
    using again = most.reopen();
    await again.poll();
    expect(named(again)).toEqual(new Set([origin(liar.url)]));
    // The nodes agree, so no node is named any more.
    liar.script = () => undefined;
    honest.script = ({ method }) => (method === "eth_blockNumber" ? { http: { status: 503 } } : undefined);
    third.script = honest.script;
    await on.world.mine(1);
    await again.poll();
    expect(again.statuses()).toEqual(AVAILABLE);
    expect(again.chain.problem()).toBeUndefined();
  });

  test("a state that one node invents is not published, and its mismatch is not trusted", async () => {
    await using on = await stage();
    await settled(on.world);
    await using liar = await scriptedRpc(on.anvil.url, ({ method, params }) =>
      method === "eth_getCode" && params[1] !== "latest" ? { result: "0x6001" } : undefined,
    );
    await using honest = await scriptedRpc(on.anvil.url);
    await using third = await scriptedRpc(on.anvil.url);
    using truth = reader(on.world.deployment, [honest.url]);
    const { runtimeHash } = coreOf(await truth.poll()).implementation;

    using alone = reader(on.world.deployment, [liar.url]);
    expect(coreOf(await alone.poll()).implementation.runtimeHash).not.toBe(runtimeHash);
    using most = reader(on.world.deployment, [liar.url, honest.url, third.url], { rpcQuorum: 2 });
    expect(coreOf(await most.poll()).implementation.runtimeHash).toBe(runtimeHash);
    expect(named(most)).toEqual(new Set([origin(liar.url)]));

    liar.script = ({ method }) => (method === "eth_getStorageAt" ? { result: `0x${"0".repeat(64)}` } : undefined);
    using other = reader(on.world.deployment, [liar.url, honest.url, third.url], { rpcQuorum: 2 });
    await other.poll();
    expect(other.statuses()).toEqual(AVAILABLE);
    expect(other.events.filter(({ kind }) => kind === "mismatch")).toEqual([]);
    expect(economyOf(other.state()).symbol).toBe(economyOf(truth.state()).symbol);

    liar.script = ({ method }) => (method === "eth_chainId" ? { result: "0x5" } : undefined);
    using elsewhere = reader(on.world.deployment, [liar.url, honest.url, third.url], { rpcQuorum: 2 });
    await elsewhere.poll();
    expect(elsewhere.statuses()).toEqual(AVAILABLE);
  });
});
