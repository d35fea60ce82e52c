// HTTP faults of a node: limits, refusals, timeouts, broken responses. Only real events are stored.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NO_ANVIL } from "../../../demo/chain/anvil.ts";
import type { OpenChain } from "../../../src/chain/open-chain.ts";
import { RPC_LIMITS } from "../../../src/chain/rpc/rpc-node.ts";
import { eventsFrom } from "../../../src/chain/store/read-events.ts";
import { CHAIN_START, coreOf, type ReaderOptions, reader, type Stage, stage } from "../../support/chain/harness.ts";
import { PROVIDER_LIMITS } from "../../support/chain/provider-limits.ts";
import { type Call, type Fault, scriptedRpc } from "../../support/chain/scripted-rpc.ts";

describe.skipIf(NO_ANVIL !== undefined)(`transport faults${NO_ANVIL ? `: ${NO_ANVIL}` : ""}`, () => {
  let on: Stage;
  let whole: readonly unknown[];
  const stored = (chain: OpenChain) => eventsFrom(chain.db, 0n);

  beforeAll(async () => {
    on = await stage();
    const { world } = on;
    for (let batch = 1; batch <= 8; batch++) {
      await world.settle({ throughRound: batch * 16, activeRoundCount: 9, workUnits: 12_345n });
      await world.mine(30);
    }
    using read = reader(world.deployment, [on.anvil.url]);
    coreOf(await read.poll());
    whole = stored(read.chain);
    expect(whole.length).toBe(15);
  });
  afterAll(() => on[Symbol.asyncDispose]());

  async function behind(script: (call: Call, request: number) => Fault | undefined, options: ReaderOptions = {}) {
    const proxy = await scriptedRpc(on.anvil.url, script);
    const read = reader(on.world.deployment, [proxy.url], options);
    return {
      proxy,
      read,
      async [Symbol.asyncDispose]() {
        read[Symbol.dispose]();
        await proxy[Symbol.asyncDispose]();
      },
    };
  }

  const logs = ({ method }: Call) => method === "eth_getLogs";
  const blocks = ({ params }: Call) => {
    const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
    return Number(toBlock) - Number(fromBlock) + 1;
  };

  test.each(Object.entries(PROVIDER_LIMITS))("the range limit of %s is understood", async (_, refusal) => {
    await using given = await behind((call) => (logs(call) && blocks(call) > 40 ? refusal : undefined));
    expect(coreOf(await given.read.poll()).core.settledThroughRound).toBe(128n);
    expect(stored(given.read.chain)).toEqual(whole);
  });

  const limited: Record<string, { fault: Fault; waits: number }> = {
    "429 and Retry-After in seconds": {
      fault: { http: { status: 429, headers: { "retry-after": "7" } } },
      waits: 7_000,
    },
    "429 and Retry-After as a date": {
      fault: {
        http: { status: 429, headers: { "retry-after": new Date((CHAIN_START + 9) * 1000).toUTCString() } },
      },
      waits: 9_000,
    },
    "429 inside a 200, with the header": {
      fault: {
        http: {
          headers: { "retry-after": "5" },
          body: '{"jsonrpc":"2.0","id":0,"error":{"code":429,"message":"slow down"}}',
        },
      },
      waits: 5_000,
    },
    "429 inside a 200, with the time in its data": {
      fault: {
        error: {
          code: -32005,
          message: "daily request count exceeded, request rate limited",
          data: { rate: { backoff_seconds: 11 } },
        },
      },
      waits: 11_000,
    },
    "503 and Retry-After": { fault: { http: { status: 503, headers: { "retry-after": "3" } } }, waits: 3_000 },
    "500 without JSON": { fault: { http: { status: 500, body: "<html>oops" } }, waits: 100 },
    "502, 5xx in JSON": {
      fault: { http: { status: 502, body: '{"jsonrpc":"2.0","id":0,"error":{"code":-32603,"message":"upstream"}}' } },
      waits: 100,
    },
    "truncated JSON": { fault: { truncate: 100 }, waits: 100 },
    "an empty response": { fault: { http: { body: "" } }, waits: 100 },
  };

  test.each(Object.entries(limited))(
    "%s: waits as requested, with jitter, and continues",
    async (_, { fault, waits }) => {
      let first = true;
      await using given = await behind((call) => {
        if (!logs(call) || !first) return undefined;
        first = false;
        return fault;
      });
      coreOf(await given.read.poll());
      expect(stored(given.read.chain)).toEqual(whole);
      expect(given.read.now - CHAIN_START * 1000).toBeGreaterThanOrEqual(waits);
      expect(given.read.now - CHAIN_START * 1000).toBeLessThanOrEqual(waits + 200);
    },
  );

  test("a hanging socket times out, and the other node is used", async () => {
    const limits = { ...RPC_LIMITS, requestTimeout: 2_000 };
    await using given = await behind(() => ({ hang: true }), { limits });
    using read = reader(on.world.deployment, [given.proxy.url, on.anvil.url], { limits });
    coreOf(await read.poll());
    expect(given.proxy.requests).toBe(1);
  });

  test("a response above the size limit is not read, and its range is halved", async () => {
    let narrow = 0;
    const script = (call: Call) => {
      if (!logs(call)) return undefined;
      if (blocks(call) > 100) return { pad: 8_000_000 };
      narrow++;
      return undefined;
    };
    await using given = await behind(script, { limits: { ...RPC_LIMITS, maxEventsBytes: 4_000_000 } });
    coreOf(await given.read.poll());
    expect(narrow).toBeGreaterThan(1);
    expect(stored(given.read.chain)).toEqual(whole);
  });
});
