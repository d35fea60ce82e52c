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

  const wordless: Record<string, Fault> = {
    "an HTTP 500 without a body": { http: { status: 500 } },
    "an HTTP 400 that is not JSON": { http: { status: 400, body: "<html>bad request" } },
    "a broken connection": { truncate: 0 },
  };
  test.each(Object.entries(wordless))(
    "%s for each wide range while other calls succeed: the range is halved",
    async (_, fault) => {
      await using given = await behind((call) => (logs(call) && blocks(call) > 40 ? fault : undefined));
      coreOf(await given.read.poll());
      expect(stored(given.read.chain)).toEqual(whole);
    },
  );

  test("a node that fails every call after a range request does not get half ranges", async () => {
    let isDown = false;
    await using given = await behind((call) => {
      isDown ||= logs(call);
      return isDown ? { http: { status: 500 } } : undefined;
    });
    await given.read.poll();
    expect(given.read.statuses()).toEqual(["indexer_unavailable", "indexer_unavailable"]);
    // Three concurrent ranges with four attempts each, and as many probes of the node.
    expect(given.proxy.requests).toBeLessThanOrEqual(2 + 3 * 8);
  });

  test("at most two requests per range", async () => {
    await using given = await behind((call) => (logs(call) && blocks(call) > 40 ? PROVIDER_LIMITS.ankr : undefined));
    let served = 0;
    let refused = 0;
    const { script } = given.proxy;
    given.proxy.script = (call, request) => {
      if (logs(call) && blocks(call) > 40) refused++;
      else if (logs(call)) served++;
      return script(call, request);
    };
    await given.read.poll();
    expect(refused).toBeGreaterThan(0);
    // One request each for the head and for the state before and after. Each range except the last is verified by one
    // more.
    expect(given.proxy.requests - refused).toBe(3 + 2 * served - 1);
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

  test("a Retry-After above the cap or past the deadline is not waited for", async () => {
    let after = "31";
    await using given = await behind((call) =>
      logs(call) ? { http: { status: 429, headers: { "retry-after": after } } } : undefined,
    );
    await given.read.poll();
    expect(given.read.statuses()).toEqual(["indexer_unavailable", "indexer_unavailable"]);
    after = "20";
    const { now } = given.read;
    await given.read.chain.poll(now, now + 10_000);
    expect(given.read.now).toBe(now);
    given.proxy.script = () => undefined;
    coreOf(await given.read.poll());
  });

  test("a permanently broken node is unavailable, keeps no connection, and recovers without a restart", async () => {
    await using given = await behind(() => ({ http: { status: 500 } }));
    await given.read.poll();
    expect(given.read.statuses()).toEqual(["indexer_unavailable", "indexer_unavailable"]);
    expect(given.proxy.requests).toBe(4);
    given.proxy.script = () => undefined;
    coreOf(await given.read.poll());
    given.proxy.script = () => ({ http: { status: 500 } });
    await given.read.poll();
    expect(given.read.statuses()).toEqual(["available", "available"]);
    given.read.now += 15_000;
    expect(given.read.statuses()).toEqual(["indexer_unavailable", "indexer_unavailable"]);
    expect(given.read.state().safeCore?.settledThroughRound).toBe(128n);
  });

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

  test("a node that sends oversized responses is skipped for five minutes, and another one is used", async () => {
    const script = () => ({ http: { body: `[${"{},".repeat(300_000)}{}]` } });
    await using given = await behind(script);
    using read = reader(on.world.deployment, [given.proxy.url, on.anvil.url]);
    coreOf(await read.poll());
    expect(given.proxy.requests).toBe(1);
    expect(read.events.map((event) => ("message" in event ? event.message : "")).join()).toMatch(
      /more members than calls \(\d+\); the node is not asked until 20/,
    );
    await read.poll();
    read.now += 299_000;
    coreOf(await read.poll());
    expect(given.proxy.requests).toBe(1);
    read.now += 2_000;
    await read.poll();
    expect(given.proxy.requests).toBe(2);
  });

  test("a key, a long text or a control character is never shown, however a node echoes it", async () => {
    await using given = await behind(() => undefined);
    const { port } = new URL(given.proxy.url);
    const address = `http://Operator:Hunter2@127.0.0.1:${port}/v2/C0ffee-Secret-Key?token=Another%20Secret`;
    const basic = Buffer.from("Operator:Hunter2").toString("base64");
    const echo = `\u001b[2J${address} ${address.toLowerCase()} ${encodeURIComponent(address)} Basic ${basic}\r\n`;
    const faults: Fault[] = [
      { http: { status: 500, body: echo } },
      { http: { status: 403, body: echo + "x".repeat(1_000_000) } },
      { http: { body: echo } },
      { error: { code: -32001, message: echo + "y".repeat(1_000_000) } },
      { result: echo },
      { change: () => [{ address: echo + "z".repeat(1_000_000), topics: [], data: "0x" }] },
    ];
    for (const fault of faults) {
      given.proxy.script = () => fault;
      using read = reader(on.world.deployment, [address, "http://127.0.0.1:1/v3/C0ffee-Secret-Key"]);
      await read.poll();
      expect(read.events.length).toBeGreaterThan(1);
      for (const shown of [
        ...read.events.map((event) => JSON.stringify(event)),
        JSON.stringify(read.chain.problem()),
      ]) {
        expect(shown).not.toMatch(/operator|hunter2|c0ffee|another|secret|T3BlcmF0b3I6/i);
        expect(shown.length).toBeLessThan(500);
        expect(shown).not.toMatch(/(?<!\\)\\(?:u00|r)/);
      }
    }
  });
});
