// `noonmark chain`, run as the operator runs it.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { NO_ANVIL } from "../../../../demo/chain/anvil.ts";
import { stage } from "../../../support/chain/harness.ts";
import { scriptedRpc } from "../../../support/chain/scripted-rpc.ts";

const MAIN = new URL("../../../../bin/main.ts", import.meta.url).href;

describe.skipIf(NO_ANVIL !== undefined)(`noonmark chain${NO_ANVIL ? `: ${NO_ANVIL}` : ""}`, () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "noonmark-chain-cli-"));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  interface Ran {
    readonly code: number | null;
    readonly out: string;
    readonly err: string;
  }

  /** `noonmark chain …` in a directory of its own, with nothing but the given settings. */
  function chain(args: readonly string[], rpcUrl: string | undefined, environment: Record<string, string> = {}) {
    const program = `import(${JSON.stringify(MAIN)}).then(({ main }) => main(["node", "noonmark", "chain", ...${JSON.stringify(args)}]))`;
    const env = {
      PATH: process.env.PATH,
      NOONMARK_DEPLOYMENT: join(directory, "deployment.json"),
      ...(rpcUrl === undefined ? {} : { NOONMARK_RPC_URL: rpcUrl }),
      ...environment,
    };
    const child = spawn(process.execPath, ["-e", program], { cwd: directory, env });
    const ran = { out: "", err: "" };
    child.stdout.on("data", (chunk) => (ran.out += chunk));
    child.stderr.on("data", (chunk) => (ran.err += chunk));
    return new Promise<Ran>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code) => resolve({ code, ...ran }));
    });
  }

  test("sync, status, rewind, sync again; a mismatch by name; no key is printed", async () => {
    await using on = await stage();
    writeFileSync(join(directory, "deployment.json"), JSON.stringify(on.world.deployment));
    const early = await chain(["sync"], on.anvil.url);
    expect(early).toMatchObject({ code: 0, out: "not yet safe: nothing to read so far\n", err: "" });
    await on.world.settle({ throughRound: 16, activeRoundCount: 9, workUnits: 5_000n });
    await on.world.mine(20);
    const head = await on.world.head();
    const synced = await chain(["sync"], on.anvil.url);
    expect(synced).toEqual({ code: 0, out: `8 events read; block ${head - 11} is safe at head ${head}\n`, err: "" });

    const withoutNode = await chain(["status"], undefined);
    expect(withoutNode).toMatchObject({ code: 0, err: "", out: expect.stringMatching(/^rpc {9}not set$/m) });
    expect(await chain(["rewind", "--to", "99999"], undefined)).toMatchObject({ code: 0, err: "" });
    expect(await chain(["sync"], undefined)).toMatchObject({
      code: 2,
      err: expect.stringContaining("missing_setting"),
    });

    await using proxy = await scriptedRpc(on.anvil.url);
    const secret = `${proxy.url}/v2/c0ffee-secret-key`;
    const status = await chain(["status", "--json"], secret);
    expect(status.code).toBe(0);
    expect(JSON.parse(status.out)).toMatchObject({
      target: "anvil",
      chainId: 31337,
      rpc: [`${proxy.url}/…`],
      events: 8,
      storedThroughBlock: String(head - 11),
      indexedThroughBlock: String(head),
      views: { core: "available", economy: "available" },
      problem: null,
    });

    const block = on.world.deployment.deploymentBlock;
    expect((await chain(["rewind", "--to", String(block)], secret)).out).toBe(
      `1 events removed; block ${block + 1} is read next\n`,
    );
    expect((await chain(["rewind", "--to", String(block)], secret)).out).toBe(
      `nothing above block ${block} is stored\n`,
    );
    expect((await chain(["sync"], secret)).out).toMatch(/^1 events read; /);

    proxy.script = ({ method }) => (method === "eth_chainId" ? { result: "0x1" } : undefined);
    await on.world.mine(1);
    const wrong = await chain(["sync"], secret);
    expect(wrong.code).toBe(1);
    expect(wrong.err).toContain("indexer_mismatch: chain_id: the node's chain is 1");
    const told = await chain(["status"], secret);
    expect(told.code).toBe(1);
    expect(told.out).toMatch(/problem +mismatch: chain_id: the node's chain is 1 /);

    proxy.script = () => ({ http: { status: 404, body: "no such project" } });
    const gone = await chain(["sync"], secret);
    expect(gone.code).toBe(1);
    expect(gone.err).toContain("indexer_unavailable");
    for (const { out, err } of [status, wrong, told, gone]) expect(out + err).not.toContain("c0ffee");
  });

  test("with rpcQuorum a node that says otherwise is named, and what the others agree on is read", async () => {
    await using on = await stage();
    writeFileSync(join(directory, "deployment.json"), JSON.stringify(on.world.deployment));
    await on.world.settle({ throughRound: 16, activeRoundCount: 9, workUnits: 5_000n });
    await on.world.mine(20);
    await using liar = await scriptedRpc(on.anvil.url, ({ method, params }) =>
      method === "eth_getCode" && params[1] !== "latest" ? { result: "0x6001" } : undefined,
    );
    await using honest = await scriptedRpc(on.anvil.url);
    const pair = await chain(["sync", "--rpc-quorum", "2"], `${liar.url},${honest.url}/key-of-mine`);
    expect(pair).toMatchObject({ code: 1, out: "", err: expect.stringMatching(/^noonmark: nodes_disagree: /) });
    expect(pair.err).toContain(`${honest.url}/… says otherwise of the state at block`);
    const three = `${liar.url},${honest.url}/key-of-mine,${on.anvil.url}`;
    const most = await chain(["sync"], three, { NOONMARK_RPC_QUORUM: "2" });
    expect(most).toMatchObject({ code: 0, out: expect.stringMatching(/^8 events read; /) });
    expect(most.err).toMatch(/^noonmark: warning: nodes_disagree: .* says otherwise of .*runtimeHash/);
    const status = await chain(["status"], three, { NOONMARK_RPC_QUORUM: "2" });
    expect(status.out).toMatch(new RegExp(`^problem +disagreement: .*runtimeHash.* \\(${liar.url}, since `, "m"));
    for (const { out, err } of [pair, most, status]) expect(out + err).not.toContain("key-of-mine");
    expect(await chain(["sync", "--rpc-quorum", "4"], three)).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^noonmark: invalid_setting: rpcQuorum 4 is more than the 3 addresses of rpcUrl\n/),
    });
  });

  test("usage: settings that are missing or wrong", async () => {
    const deployment = join(directory, "deployment.json");
    const missing = await chain(["sync"], undefined);
    expect([missing.code, missing.err]).toEqual([2, expect.stringContaining("rpcUrl")]);
    const unreadable = await chain(["sync"], "http://127.0.0.1:1");
    expect([unreadable.code, unreadable.err]).toEqual([74, expect.stringContaining("deployment_unreadable")]);
    writeFileSync(deployment, '{"target":"x"}');
    const invalid = await chain(["sync"], "http://127.0.0.1:1");
    expect([invalid.code, invalid.err]).toEqual([2, expect.stringContaining("invalid_deployment")]);
    const block = await chain(["rewind", "--to", "-1"], "http://127.0.0.1:1");
    expect(block.code).toBe(2);
  });
});
