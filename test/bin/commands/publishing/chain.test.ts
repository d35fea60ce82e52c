// `noonmark chain` as an operator runs it.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { NO_ANVIL } from "../../../../demo/chain/anvil.ts";
import { SAFE_DEPTH } from "../../../../src/values/settlement-limits.ts";
import { stage } from "../../../support/chain/harness.ts";
import { scriptedRpc } from "../../../support/chain/scripted-rpc.ts";
import { runCli } from "../../../support/cli.ts";
import { testFolder } from "../../../support/test-folder.ts";

describe.skipIf(NO_ANVIL !== undefined)(`noonmark chain${NO_ANVIL ? `: ${NO_ANVIL}` : ""}`, () => {
  let directory: string;
  beforeEach(() => {
    directory = testFolder();
  });

  /** Runs `noonmark chain …` in a new directory with only the given settings. */
  function chain(args: readonly string[], rpcUrl: string | undefined, environment: Record<string, string> = {}) {
    return runCli(["chain", ...args], directory, "", {
      NOONMARK_DEPLOYMENT: join(directory, "deployment.json"),
      ...(rpcUrl === undefined ? {} : { NOONMARK_RPC_URL: rpcUrl }),
      ...environment,
    });
  }

  test("sync and rewind work in sequence, a mismatch is named, and no key is printed", async () => {
    await using on = await stage();
    writeFileSync(join(directory, "deployment.json"), JSON.stringify(on.world.deployment));
    const early = await chain(["sync"], on.anvil.url);
    expect(early).toMatchObject({ exitCode: 0, stdout: "not yet safe: nothing to read so far\n", stderr: "" });
    await on.world.settle({ throughRound: 16, activeRoundCount: 9, workUnits: 5_000n });
    await on.world.mine(20);
    const head = await on.world.head();
    const synced = await chain(["sync"], on.anvil.url);
    expect(synced).toEqual({
      exitCode: 0,
      stdout: `8 events read; block ${head - Number(SAFE_DEPTH)} is safe at head ${head}\n`,
      stderr: "",
    });

    expect(await chain(["rewind", "--to", "99999"], undefined)).toMatchObject({ exitCode: 0, stderr: "" });
    expect(await chain(["sync"], undefined)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("missing_setting"),
    });

    await using proxy = await scriptedRpc(on.anvil.url);
    const secret = `${proxy.url}/v2/c0ffee-secret-key`;
    const block = on.world.deployment.deploymentBlock;
    expect((await chain(["rewind", "--to", String(block)], secret)).stdout).toBe(
      `1 events removed; block ${block + 1} is read next\n`,
    );
    expect((await chain(["rewind", "--to", String(block)], secret)).stdout).toBe(
      `nothing above block ${block} is stored\n`,
    );
    expect((await chain(["sync"], secret)).stdout).toMatch(/^1 events read; /);

    proxy.script = ({ method }) => (method === "eth_chainId" ? { result: "0x1" } : undefined);
    await on.world.mine(1);
    const wrong = await chain(["sync"], secret);
    expect(wrong.exitCode).toBe(1);
    expect(wrong.stderr).toContain("indexer_mismatch: chain_id: the node's chain is 1");

    proxy.script = () => ({ http: { status: 404, body: "no such project" } });
    const gone = await chain(["sync"], secret);
    expect(gone.exitCode).toBe(1);
    expect(gone.stderr).toContain("indexer_unavailable");
    for (const { stdout, stderr } of [wrong, gone]) expect(stdout + stderr).not.toContain("c0ffee");
  });

  test("with rpcQuorum a disagreeing node is named, and the majority's result is used", async () => {
    await using on = await stage();
    writeFileSync(join(directory, "deployment.json"), JSON.stringify(on.world.deployment));
    await on.world.settle({ throughRound: 16, activeRoundCount: 9, workUnits: 5_000n });
    await on.world.mine(20);
    await using liar = await scriptedRpc(on.anvil.url, ({ method, params }) =>
      method === "eth_getCode" && params[1] !== "latest" ? { result: "0x6001" } : undefined,
    );
    await using honest = await scriptedRpc(on.anvil.url);
    const pair = await chain(["sync", "--rpc-quorum", "2"], `${liar.url},${honest.url}/key-of-mine`);
    expect(pair).toMatchObject({
      exitCode: 1,
      stdout: "",
      stderr: expect.stringMatching(/^noonmark: nodes_disagree: /),
    });
    expect(pair.stderr).toContain(`${honest.url}/… disagrees on the state at block`);
    const three = `${liar.url},${honest.url}/key-of-mine,${on.anvil.url}`;
    const most = await chain(["sync"], three, { NOONMARK_RPC_QUORUM: "2" });
    expect(most).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^8 events read; /) });
    expect(most.stderr).toMatch(/^noonmark: warning: nodes_disagree: .* disagrees on .*runtimeHash/);
    for (const { stdout, stderr } of [pair, most]) expect(stdout + stderr).not.toContain("key-of-mine");
    expect(await chain(["sync", "--rpc-quorum", "4"], three)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/^noonmark: invalid_setting: rpcQuorum 4 is more than the 3 addresses of rpcUrl\n/),
    });
  });

  test("missing and wrong settings are usage errors", async () => {
    const deployment = join(directory, "deployment.json");
    const missing = await chain(["sync"], undefined);
    expect([missing.exitCode, missing.stderr]).toEqual([2, expect.stringContaining("rpcUrl")]);
    const unreadable = await chain(["sync"], "http://127.0.0.1:1");
    expect([unreadable.exitCode, unreadable.stderr]).toEqual([74, expect.stringContaining("deployment_unreadable")]);
    writeFileSync(deployment, '{"target":"x"}');
    const invalid = await chain(["sync"], "http://127.0.0.1:1");
    expect([invalid.exitCode, invalid.stderr]).toEqual([2, expect.stringContaining("invalid_deployment")]);
    const block = await chain(["rewind", "--to", "-1"], "http://127.0.0.1:1");
    expect(block.exitCode).toBe(2);
  });
});
