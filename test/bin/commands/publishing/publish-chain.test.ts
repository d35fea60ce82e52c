// `noonmark publish --once` with an unresponsive node: chain views are unavailable and everything else is published.
import { readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { runCli } from "../../../support/cli.ts";
import { testFolder } from "../../../support/test-folder.ts";

const ADDRESS = `0x${"11".repeat(20)}`;

let directory: string;
beforeEach(() => {
  directory = testFolder();
});

/** A TCP server that handles every connection with `serve`. */
async function node(serve: (socket: Socket) => void): Promise<AsyncDisposable & { readonly url: string }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    serve(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const deployment = {
  target: "silent",
  chainId: 1,
  deploymentBlock: 1,
  factory: ADDRESS,
  core: ADDRESS,
  proxyAdmin: ADDRESS,
  operatorTimelock: ADDRESS,
  operatorProposer: ADDRESS,
  streamId: `0x${"22".repeat(32)}`,
};

function publish(rpcUrl: string, seconds: number) {
  writeFileSync(join(directory, "deployment.json"), JSON.stringify(deployment));
  return runCli(["publish", "--once", "--json"], directory, "", {
    NOONMARK_DEPLOYMENT: join(directory, "deployment.json"),
    NOONMARK_RPC_URL: rpcUrl,
    NOONMARK_INSTALLATION_ID: "wheel-1",
    NOONMARK_LEDGER: "none",
    NOONMARK_STORE: join(directory, "store"),
    NOONMARK_DEADLINE: String(seconds),
  });
}

const silences: Record<string, (socket: Socket) => void> = {
  "never answers": () => {},
  "sends a byte at a time": (socket) => {
    socket.write("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1000000\r\n\r\n");
    const trickle = setInterval(() => socket.write(" "), 20);
    socket.on("close", () => clearInterval(trickle));
  },
};

test.each(Object.entries(silences))("a run with a node that %s publishes everything else", async (_, serve) => {
  await using silent = await node(serve);
  const { exitCode, stdout, stderr } = await publish(silent.url, 5);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 0,
    stderr: expect.stringContaining("warning: indexer_unavailable: "),
  });
  const { rows, failures } = JSON.parse(stdout) as { rows: { key: string; action: string }[]; failures: unknown[] };
  expect(failures).toEqual([]);
  expect(new Set(rows.map(({ action }) => action))).toEqual(new Set(["created"]));
  const onchain = rows.find(({ key }) => key.includes("onchain") && !key.includes("unavailable"))?.key as string;
  expect(readFileSync(join(directory, "store", `${onchain}.http`), "utf8")).toContain('"reason":"not_yet_safe"');
});

test("a run that asks an unreachable node twice warns once", async () => {
  const stopped = await node(() => {});
  await stopped[Symbol.asyncDispose]();
  const { exitCode, stderr } = await publish(stopped.url, 5);
  expect({ exitCode, warnings: stderr.split("warning: indexer_unavailable: ").length - 1 }).toEqual({
    exitCode: 0,
    warnings: 1,
  });
});
