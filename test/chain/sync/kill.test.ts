// After SIGKILL at every stored range, the sync continues and ends with the same file.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { NO_ANVIL } from "../../../demo/chain/anvil.ts";
import { eventsFrom } from "../../../src/chain/store/read-events.ts";
import { bundleScript } from "../../support/bundled-script.ts";
import { coreOf, reader, stage } from "../../support/chain/harness.ts";
import { PROVIDER_LIMITS } from "../../support/chain/provider-limits.ts";
import { scriptedRpc } from "../../support/chain/scripted-rpc.ts";

describe.skipIf(NO_ANVIL !== undefined)(`kill -9${NO_ANVIL ? `: ${NO_ANVIL}` : ""}`, () => {
  test("at every stored range", async () => {
    await using on = await stage();
    for (let batch = 1; batch <= 5; batch++) {
      await on.world.settle({ throughRound: batch * 16, activeRoundCount: 9, workUnits: 12_345n });
      await on.world.mine(15);
    }
    const ranges = { asked: new Set<string>() };
    await using proxy = await scriptedRpc(on.anvil.url, ({ method, params }) => {
      if (method !== "eth_getLogs") return undefined;
      const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
      if (Number(toBlock) - Number(fromBlock) > 12) return PROVIDER_LIMITS.ankr;
      ranges.asked.add(toBlock);
      return undefined;
    });
    using straight = reader(on.world.deployment, [proxy.url]);
    const core = coreOf(await straight.poll());
    const events = eventsFrom(straight.chain.db, 0n);
    expect(ranges.asked.size).toBeGreaterThan(5);

    const directory = mkdtempSync(join(tmpdir(), "noonmark-kill-"));
    try {
      const deployment = join(directory, "deployment.json");
      writeFileSync(deployment, JSON.stringify(on.world.deployment));
      const file = join(directory, "chain.db");
      const script = join(directory, "kill-child.mjs");
      await bundleScript(join(import.meta.dirname, "kill-child.ts"), script);
      const run = () => child([script, deployment, proxy.url, file, "1"]);
      let killed = 0;
      while ((await run()) === "SIGKILL") {
        killed++;
        // The first process that reaches the last range is killed after it, and the next one has nothing left to store.
        expect(killed).toBeLessThan(ranges.asked.size + 5);
      }
      expect(killed).toBeGreaterThan(5);
      using resumed = reader(on.world.deployment, [proxy.url], { path: file });
      expect(coreOf(await resumed.poll())).toEqual(core);
      expect(eventsFrom(resumed.chain.db, 0n)).toEqual(events);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });
});

function child(args: readonly string[]): Promise<string | null> {
  const running = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
  return new Promise((resolve, reject) => {
    running.once("error", reject);
    running.once("exit", (_, signal) => resolve(signal));
  });
}
