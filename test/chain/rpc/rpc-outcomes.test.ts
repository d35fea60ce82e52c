import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { type RpcOutcome, rpcNode } from "../../../src/chain/rpc/rpc-node.ts";

/** One request to a node that answers so, twice at most. */
async function outcomes(answer: (response: ServerResponse) => void): Promise<RpcOutcome[]> {
  const server = createServer((_, response) => answer(response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const told: RpcOutcome[] = [];
  const retry = {
    attempts: 2,
    deadline: 60_000,
    now: () => 0,
    sleep: async () => {},
    random: () => 0,
    repeatSilent: false,
  };
  const node = rpcNode(
    `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    retry,
    { requestTimeout: 200, maxResponseBytes: 1_000 },
    (outcome) => told.push(outcome),
  );
  await node.request("eth_blockNumber", []).catch(() => undefined);
  server.closeAllConnections();
  server.close();
  return told;
}

const json = (status: number, body: unknown) => (response: ServerResponse) => {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
};

test.each<[string, (response: ServerResponse) => void, RpcOutcome[]]>([
  ["a result", json(200, { id: 0, result: "0x1" }), ["answered"]],
  ["429, asked again", json(429, {}), ["rate", "rate"]],
  ["500, asked again", json(500, {}), ["transient", "transient"]],
  ["a refusal", json(200, { id: 0, error: { code: -32601, message: "no such method" } }), ["refused"]],
  [
    "a range that is too wide",
    json(200, { id: 0, error: { code: -32000, message: "block range too large" } }),
    ["range"],
  ],
  ["an answer above the limit", json(200, { id: 0, result: "x".repeat(2_000) }), ["range"]],
  ["no answer in time", () => {}, ["silent"]],
])("%s", async (_, answer, expected) => {
  expect(await outcomes(answer)).toEqual(expected);
});
