// Responses that omit logs are detected by the blooms of the block headers (docs/spec/chain.md#blooms).

import { describe, expect, test } from "vitest";
import { NO_ANVIL } from "../../../demo/chain/anvil.ts";
import { eventsFrom } from "../../../src/chain/store/read-events.ts";
import { readSync } from "../../../src/chain/store/sync-row.ts";
import { SAFE_DEPTH } from "../../../src/values/settlement-limits.ts";
import { coreOf, reader, type Stage, stage } from "../../support/chain/harness.ts";
import { type Call, type Script, scriptedRpc } from "../../support/chain/scripted-rpc.ts";

const AVAILABLE = ["available", "available"];

const logs = ({ method }: Call) => method === "eth_getLogs";
/** A node that knows the blocks but returns no logs. */
const forgetful: Script = (call) => (logs(call) ? { result: [] } : undefined);
/** Every bloom has all bits set. */
const saturated: Script = ({ method }) =>
  method === "eth_getBlockByNumber"
    ? { change: (block: object) => ({ ...block, logsBloom: `0x${"f".repeat(512)}` }) }
    : undefined;

/** A safe, settled batch for which nothing is minted yet. */
async function settled(): Promise<Stage> {
  const on = await stage();
  await on.world.settle({ throughRound: 16, activeRoundCount: 9, workUnits: 12_345n });
  await on.world.mine(20);
  return on;
}

const funded = (read: ReturnType<typeof reader>) =>
  eventsFrom(read.chain.db, 0n).filter(({ eventName }) => eventName === "RoundFunded").length;

describe.skipIf(NO_ANVIL !== undefined)(`omitted logs${NO_ANVIL ? `: ${NO_ANVIL}` : ""}`, () => {
  test("a mint whose logs a node omits once: nothing is stored until the node returns them", async () => {
    await using on = await settled();
    await using proxy = await scriptedRpc(on.anvil.url);
    using read = reader(on.world.deployment, [proxy.url]);
    const before = coreOf(await read.poll());
    await on.world.fund(16, [[3, 7n]]);
    await on.world.confirm();
    proxy.script = forgetful;
    await read.poll();
    expect(coreOf(read.state())).toEqual(before);
    expect(read.chain.problem()?.event).toMatchObject({ kind: "failed", message: expect.stringContaining("mining") });
    proxy.script = () => undefined;
    await read.poll();
    expect(read.statuses()).toEqual(AVAILABLE);
    expect(funded(read)).toBe(1);
    expect(read.chain.problem()).toBeUndefined();
  });

  test("if two passes agree it is a false positive, and the sync continues", async () => {
    await using on = await settled();
    await using proxy = await scriptedRpc(on.anvil.url);
    using read = reader(on.world.deployment, [proxy.url]);
    await read.poll();
    proxy.script = saturated;
    for (let turn = 0; turn < 3; turn++) {
      await on.world.mine(1);
      const safe = BigInt(await on.world.head()) - SAFE_DEPTH;
      await read.poll();
      expect(readSync(read.chain.db).stored?.block).toBe(safe - 1n);
      // The head moves meanwhile; the second pass covers the same blocks.
      await on.world.mine(1);
      await read.poll();
      expect(readSync(read.chain.db).stored?.block).toBe(safe);
      expect(coreOf(read.state()).chain).toMatchObject({
        safeThroughBlock: safe,
        indexedThroughBlock: safe + SAFE_DEPTH,
      });
      proxy.script = () => undefined;
      await read.poll();
      proxy.script = saturated;
    }
    using first = reader(on.world.deployment, [proxy.url]);
    expect(coreOf(await first.poll()).core.settledThroughRound).toBe(16n);
  });
});
