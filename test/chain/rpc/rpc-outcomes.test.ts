import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { type RpcOutcome, rpcNode } from "../../../src/chain/rpc/rpc-node.ts";
import { localServer } from "../../support/local-server.ts";

type Respond = (response: ServerResponse) => void;

const RETRY = {
  attempts: 2,
  deadline: 60_000,
  now: () => 0,
  sleep: async () => {},
  random: () => 0,
  repeatSilent: false,
};

interface Asked {
  readonly outcomes: RpcOutcome[];
  readonly error: unknown;
}

/** Calls a node that gives this response. The call is sent at most twice. */
async function ask(respond: Respond, method = "eth_blockNumber", requestTimeout = 30_000): Promise<Asked> {
  const { url, stop } = await localServer((_, response) => respond(response));
  const outcomes: RpcOutcome[] = [];
  const node = rpcNode(url, RETRY, { requestTimeout, maxResponseBytes: 1_000, maxEventsBytes: 1_000 }, (outcome) =>
    outcomes.push(outcome),
  );
  const error: unknown = await node.request(method, []).then(
    () => undefined,
    (cause) => cause,
  );
  await stop();
  return { outcomes, error };
}

const json = (status: number, body: unknown) => (response: ServerResponse) => {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
};

test.each<[string, (response: ServerResponse) => void, RpcOutcome[]]>([
  ["a result", json(200, { id: 0, result: "0x1" }), ["responded"]],
  ["429, asked again", json(429, {}), ["rate", "rate"]],
  ["500, asked again", json(500, {}), ["transient", "transient"]],
  ["a refusal", json(200, { id: 0, error: { code: -32601, message: "no such method" } }), ["refused"]],
  [
    "a range that is too wide",
    json(200, { id: 0, error: { code: -32000, message: "block range too large" } }),
    ["range"],
  ],
  ["a response above the limit, not asked again", json(200, { id: 0, result: "x".repeat(2_000) }), ["transient"]],
])("%s", async (_, respond, expected) => {
  expect((await ask(respond)).outcomes).toEqual(expected);
});

test("more logs than the limit count as a range that is too wide", async () => {
  const { outcomes } = await ask(json(200, { id: 0, result: "x".repeat(2_000) }), "eth_getLogs");
  expect(outcomes).toEqual(["range"]);
});

test("a redirect is not followed, and the message names the setting to change", async () => {
  let followed = 0;
  const redirectTarget = await localServer((_, response) => {
    followed++;
    response.end("an internal page");
  });
  const location = `${redirectTarget.url}/`;
  const { outcomes, error } = await ask((response) => response.writeHead(307, { location }).end());
  await redirectTarget.stop();
  expect(followed).toBe(0);
  expect(outcomes).toEqual(["refused"]);
  expect((error as Error).message).toBe(
    "the address redirects, and redirects are not followed: use the address of the target",
  );
});

test("a response that is not JSON is not quoted", async () => {
  const { error } = await ask((response) => response.end("secret-of-an-internal-page"));
  expect((error as Error).message).toBe("the response is not JSON");
});

test("the results of a batch are found by id, and an omitted one is missed", async () => {
  const members = [
    { id: 2, result: "c" },
    { id: 1, result: "b" },
    { id: 0, result: "a" },
  ];
  const { url, stop } = await localServer((_, response) => json(200, members)(response));
  const batch = () => rpcNode(url, RETRY).batch(["a", "b", "c"].map((method) => ({ method, params: [] })));
  expect(await batch()).toEqual(["a", "b", "c"]);
  members.splice(1, 1);
  await expect(batch()).rejects.toThrow("no response to b");
  await stop();
});

test.each(["operator:%E2%82%AC", ":a-key-of-mine"])("credentials become a Basic header: %s", async (credentials) => {
  const { port, stop } = await localServer((request, response) =>
    json(200, { id: 0, result: request.headers.authorization })(response),
  );
  const shown = await rpcNode(`http://${credentials}@127.0.0.1:${port}`, RETRY).request("eth_chainId", []);
  expect(shown).toBe(`Basic ${Buffer.from(decodeURIComponent(credentials)).toString("base64")}`);
  await stop();
});
