// Each binding check of docs/spec/chain.md#checks, by the name that the operator sees.
import { type Hex, toFunctionSelector } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NO_ANVIL } from "../../../demo/chain/anvil.ts";
import type { DeploymentFile } from "../../../demo/chain/deploy.ts";
import {
  CHAIN_START,
  coreOf,
  economyOf,
  type ReaderOptions,
  reader,
  type Stage,
  stage,
} from "../../support/chain/harness.ts";
import { type Script, scriptedRpc } from "../../support/chain/scripted-rpc.ts";

const MISMATCH = ["indexer_mismatch", "indexer_mismatch"];
const AVAILABLE = ["available", "available"];
const ECONOMY_MISMATCH = ["available", "indexer_mismatch"];

/** Replaces the first word of a view function's result. */
function returning(signature: string, word: bigint): Script {
  const selector = toFunctionSelector(`function ${signature}`);
  return ({ method, params }) => {
    const call = params[0] as { data?: string };
    if (method !== "eth_call" || call.data?.slice(0, 10) !== selector) return undefined;
    return { result: `0x${word.toString(16).padStart(64, "0")}` };
  };
}

describe.skipIf(NO_ANVIL !== undefined)(`binding checks${NO_ANVIL ? `: ${NO_ANVIL}` : ""}`, () => {
  let on: Stage;
  let other: { core: string; proxyAdmin: string };
  beforeAll(async () => {
    on = await stage();
    const { world } = on;
    await world.settle({ throughRound: 16, activeRoundCount: 9, workUnits: 12_345n });
    await world.fund(16, [[3, 7n]]);
    const { logs } = await world.deployOtherCore();
    const [core, proxyAdmin] = (logs.at(-1)?.topics.slice(1) ?? []).map((topic) => `0x${topic.slice(26)}`);
    other = { core: core as string, proxyAdmin: proxyAdmin as string };
    await world.confirm();
  });
  afterAll(() => on[Symbol.asyncDispose]());

  /** Polls once with a node and a deployment file that differ in one thing. */
  async function found(
    change: { deployment?: object; economy?: object; script?: Script; options?: ReaderOptions } = {},
  ) {
    const { deployment } = on.world;
    await using proxy = await scriptedRpc(on.anvil.url, change.script ?? (() => undefined));
    const economy = { ...(deployment.economy as object), ...change.economy };
    using read = reader({ ...deployment, economy, ...change.deployment }, [proxy.url], change.options);
    await read.poll();
    const problem = read.chain.problem()?.event;
    return { says: read.statuses(), check: problem !== undefined && "check" in problem ? problem.check : problem };
  }

  test("all checks pass", async () => {
    expect(await found()).toEqual({ says: AVAILABLE, check: undefined });
  });

  const plain = "0x00000000000000000000000000000000000000aA";
  const ofTheFile: Record<string, () => { deployment?: object; options?: ReaderOptions }> = {
    chain_id: () => ({ deployment: { chainId: 1 } }),
    code_factory: () => ({ deployment: { factory: plain } }),
    code_core: () => ({ deployment: { core: plain } }),
    code_proxy_admin: () => ({ deployment: { proxyAdmin: plain } }),
    code_operator_timelock: () => ({ deployment: { operatorTimelock: plain } }),
    core_deployed: () => ({ deployment: { deploymentBlock: on.world.deployment.deploymentBlock - 1 } }),
    proxy_admin_slot: () => ({ deployment: { proxyAdmin: other.proxyAdmin } }),
    stream_id: () => ({ deployment: { streamId: `0x${"ab".repeat(32)}` } }),
    genesis_timestamp_configured: () => ({ options: { genesisTimestamp: BigInt(CHAIN_START + 600) } }),
    proposer_role: () => ({ deployment: { operatorProposer: plain } }),
  };
  test.each(Object.entries(ofTheFile))("%s: a different value in the deployment file", async (check, change) => {
    expect(await found(change())).toEqual({ says: MISMATCH, check });
  });

  const ofTheCore: Record<string, Script> = {
    round_duration: returning("roundDuration() view returns (uint64)", 300n),
    genesis_timestamp_multiple: returning("genesisTimestamp() view returns (uint64)", BigInt(CHAIN_START + 1)),
    proxy_admin_owner: returning("owner() view returns (address)", 1n),
    block_height: returning("blockHeight() view returns (uint256)", 11n),
    current_work: returning("currentWork() view returns (uint256)", 344n),
    settlement_state: returning("settledThroughRound() view returns (uint64)", 17n),
  };
  test.each(Object.entries(ofTheCore))("%s: a different value in the Core", async (check, script) => {
    expect(await found({ script })).toEqual({ says: MISMATCH, check });
  });

  test("a Core with zero work per block is a mismatch, not a division by zero", async () => {
    const script = returning("workPerBlock() view returns (uint256)", 0n);
    expect(await found({ script })).toEqual({ says: MISMATCH, check: "block_height" });
  });

  test("a Core that returns nothing is unavailable", async () => {
    const selector = toFunctionSelector("function codeVersion() view returns (string)");
    const script: Script = ({ params }) =>
      (params[0] as { data?: string })?.data === selector
        ? { error: { code: 3, message: "execution reverted" } }
        : undefined;
    expect((await found({ script })).says).toEqual(["indexer_unavailable", "indexer_unavailable"]);
  });

  /** A contract without one of its functions. */
  const refusing = (...signatures: string[]): Script => {
    const selectors = signatures.map((signature) => toFunctionSelector(`function ${signature}`));
    return ({ method, params }) =>
      method === "eth_call" && selectors.includes((params[0] as { data?: Hex }).data?.slice(0, 10) as Hex)
        ? { error: { code: 3, message: "execution reverted" } }
        : undefined;
  };
  const OWNER = "owner() view returns (address)";
  const STREAM = "streamId() view returns (bytes32)";

  test("a failing call does not hide another failing check: a proxy admin without an owner", async () => {
    const script = refusing(OWNER);
    const { says, check } = await found({ script, deployment: { proxyAdmin: other.proxyAdmin } });
    expect({ says, check }).toEqual({ says: MISMATCH, check: "proxy_admin_slot" });
    expect(await found({ script: refusing(OWNER, STREAM), options: { genesisTimestamp: 0n } })).toEqual({
      says: MISMATCH,
      check: "genesis_timestamp_configured",
    });
  });

  test("a transient error does not hide a failing check", async () => {
    const script: Script = ({ method, params }) =>
      method === "eth_call" && (params[0] as { data?: Hex }).data === toFunctionSelector(`function ${STREAM}`)
        ? { error: { code: -32000, message: "upstream is busy" } }
        : undefined;
    expect(await found({ script, options: { genesisTimestamp: 0n } })).toEqual({
      says: MISMATCH,
      check: "genesis_timestamp_configured",
    });
  });

  test("not_yet_safe wins if a check of the Core already fails", async () => {
    const { deployment } = on.world;
    const economy = { deploymentBlock: (await on.world.head()) - 5 };
    expect((await found({ economy, deployment: { streamId: `0x${"ab".repeat(32)}` } })).says).toEqual([
      "indexer_mismatch",
      "not_yet_safe",
    ]);
    expect((await found({ economy, deployment: { chainId: deployment.chainId + 1 } })).says).toEqual([
      "indexer_mismatch",
      "not_yet_safe",
    ]);
  });

  const ofTheEconomy: Record<string, { economy?: object; script?: Script }> = {
    code_mining: { economy: { mining: plain } },
    code_token: { economy: { token: plain } },
    code_token_factory: { economy: { tokenFactory: plain } },
    code_collection: { economy: { collection: plain } },
    mining_core: { script: returning("core() view returns (address)", 1n) },
    mining_token: { script: returning("token() view returns (address)", 1n) },
    mining_collection: { script: returning("collection() view returns (address)", 1n) },
    token_decimals: { script: returning("decimals() view returns (uint8)", 6n) },
    minted_through_round: { script: returning("mintedThroughRound() view returns (uint64)", 17n) },
  };
  test.each(Object.entries(ofTheEconomy))("%s: affects only settlements v4 and activity", async (check, change) => {
    expect(await found(change)).toEqual({ says: ECONOMY_MISMATCH, check });
  });

  test("round_funded_cursor: confirmed at the second pass, and gone with the log", async () => {
    await using proxy = await scriptedRpc(on.anvil.url);
    using read = reader(on.world.deployment, [proxy.url]);
    await read.poll();
    const { blockNumber } = await on.world.fund(16, [[17, 9n]]);
    await on.world.confirm();
    const before = coreOf(read.state());
    await read.poll();
    expect(read.events.at(-1)).toMatchObject({ kind: "unconfirmed_fault", check: "round_funded_cursor" });
    expect(coreOf(read.state())).toEqual(before);
    expect(read.statuses()).toEqual(AVAILABLE);
    for (let pass = 0; pass < 3; pass++) {
      await on.world.mine(1);
      await read.poll();
      expect(read.statuses()).toEqual(ECONOMY_MISMATCH);
      expect(coreOf(read.state()).chain.indexedThroughBlock).toBe(BigInt(await on.world.head()));
    }
    expect(read.chain.problem()?.event).toMatchObject({ check: "round_funded_cursor" });
    proxy.script = ({ method }) =>
      method === "eth_getLogs"
        ? { change: (logs: { blockNumber: string }[]) => logs.filter((log) => Number(log.blockNumber) !== blockNumber) }
        : undefined;
    // The block's bloom still contains the log, so two passes must agree that it is missing.
    await read.poll();
    expect(read.statuses()).toEqual(ECONOMY_MISMATCH);
    await read.poll();
    expect(read.statuses()).toEqual(AVAILABLE);
    expect(read.chain.problem()).toBeUndefined();
    economyOf(read.state());
  });
});

describe.skipIf(NO_ANVIL !== undefined)(`settlements without continuity${NO_ANVIL ? `: ${NO_ANVIL}` : ""}`, () => {
  test("17 active rounds in a batch are a mismatch; 40 rounds are not", async () => {
    await using on = await stage();
    await on.world.settle({ throughRound: 40, activeRoundCount: 16, workUnits: 5n });
    await on.world.confirm();
    using read = reader(on.world.deployment, [on.anvil.url]);
    expect(coreOf(await read.poll()).core.settledThroughRound).toBe(40n);
    await on.world.settle({ throughRound: 60, activeRoundCount: 17, workUnits: 5n });
    await on.world.confirm();
    await read.poll();
    await read.poll();
    expect(read.statuses()).toEqual(MISMATCH);
    expect(read.chain.problem()?.event).toMatchObject({ check: "settlement_continuity" });
  });

  test("an undeployed economy is a separate mismatch, and no economy is disabled", async () => {
    await using on = await stage({ economy: false });
    await on.world.confirm();
    using none = reader(on.world.deployment, [on.anvil.url]);
    await none.poll();
    expect(none.statuses()).toEqual(["available", "indexer_disabled"]);
    const missing: DeploymentFile["economy"] = {
      releaseId: "r",
      protocolRevision: "p",
      rewardModelRevision: "m",
      deploymentBlock: 1,
      mining: `0x${"a".repeat(40)}`,
      token: `0x${"b".repeat(40)}`,
      tokenFactory: `0x${"c".repeat(40)}`,
      collection: `0x${"d".repeat(40)}`,
    };
    using early = reader({ ...on.world.deployment, economy: missing }, [on.anvil.url]);
    await early.poll();
    expect(early.statuses()).toEqual(ECONOMY_MISMATCH);
  });
});
