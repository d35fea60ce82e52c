/**
 * The HTTP server process of the shim's bench: `node served-response.ts bare|shim DIRECTORY PATH`. Both kinds send the
 * same bytes and headers: `shim` from the store, `bare` from memory with plain `node:http`.
 */
import { once } from "node:events";
import { createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { keepYoungGenerationSmall } from "../../bin/cli/small-heap.ts";
import { openStore } from "../../src/object-store/open-store.ts";
import { type ShimContext, shimContext } from "../../src/shim/context.ts";
import { startServer } from "../../src/shim/node/node-server.ts";
import { storeReader, tickStore } from "../../src/shim/node/store-reader.ts";

const [kind, directory = "", path = ""] = process.argv.slice(2);
const SERVER_OPTIONS = { host: "127.0.0.1", port: 0, wallClock: () => Date.now(), defect: console.error };
const store = await openStore(directory, { write: false });
const context = shimContext({
  store: tickStore(storeReader(store)),
  now: () => Date.now(),
  monotonic: () => performance.now(),
});

process.on("message", (message) => {
  if (message === "cpu") process.send?.({ cpu: process.cpuUsage() });
});
process.on("disconnect", () => process.exit());
process.send?.({ port: await (kind === "bare" ? bare() : shim(context)) });

async function bare(): Promise<number> {
  const { status, headers, body } = await capturedResponse();
  const server = createServer({ keepAliveTimeout: 65_000 }, (_, response) => {
    response.writeHead(status, headers);
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

/** Captures one shim response without the headers that Node adds per connection. */
async function capturedResponse(): Promise<{ status: number; headers: Record<string, string>; body: Buffer }> {
  const server = await startServer(context, SERVER_OPTIONS);
  const [response] = (await once(get({ port: server.port, path }), "response")) as [IncomingMessage];
  const {
    statusCode: status = 0,
    headers: { date: _, connection: __, "keep-alive": ___, ...rest },
  } = response;
  const body = Buffer.concat(await response.toArray());
  await server.stop();
  return { status, headers: rest as Record<string, string>, body };
}

async function shim(context: ShimContext): Promise<number> {
  keepYoungGenerationSmall();
  return (await startServer(context, SERVER_OPTIONS)).port;
}
