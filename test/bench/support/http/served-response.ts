/**
 * The HTTP server process of the shim benches: `node served-response.ts bare|shim|counted DIRECTORY PATH
 * [ACCEPT_ENCODING]`. All kinds send the same bytes and headers: `shim` from the store, `counted` also with metrics,
 * `bare` from memory with plain `node:http`.
 */
import { once } from "node:events";
import { createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { startMetricsPage } from "../../../../bin/cli/metrics/metrics-page.ts";
import { shimRegistry } from "../../../../bin/cli/metrics/registries.ts";
import { keepYoungGenerationSmall } from "../../../../bin/cli/small-heap.ts";
import { openStore } from "../../../../src/object-store/open-store.ts";
import { type ShimContext, shimContext } from "../../../../src/shim/context.ts";
import { startServer } from "../../../../src/shim/node/node-server.ts";
import { countedReads, ShimCounts, storeReader, tickStore } from "../../../../src/shim/node/store-reader.ts";

const [kind, directory = "", path = "", accepted] = process.argv.slice(2);
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
process.send?.({ ...(await (kind === "bare" ? bare() : kind === "shim" ? shim(context) : counted())) });

interface Served {
  readonly port: number;
  /** URL of the metrics page. */
  readonly metrics?: string;
}

async function bare(): Promise<Served> {
  const { status, headers, body } = await capturedResponse();
  const server = createServer({ keepAliveTimeout: 65_000 }, (_, response) => {
    response.writeHead(status, headers);
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { port: (server.address() as AddressInfo).port };
}

/** Captures one shim response without the headers that Node adds per connection. */
async function capturedResponse(): Promise<{ status: number; headers: Record<string, string>; body: Buffer }> {
  const server = await startServer(context, SERVER_OPTIONS);
  const headers = accepted === undefined ? {} : { "Accept-Encoding": accepted };
  const [response] = (await once(get({ port: server.port, path, headers }), "response")) as [IncomingMessage];
  const {
    statusCode: status = 0,
    headers: { date: _, connection: __, "keep-alive": ___, ...rest },
  } = response;
  const body = Buffer.concat(await response.toArray());
  await server.stop();
  return { status, headers: rest as Record<string, string>, body };
}

async function shim(context: ShimContext): Promise<Served> {
  keepYoungGenerationSmall();
  return { port: (await startServer(context, SERVER_OPTIONS)).port };
}

/** Sets up metrics as `serve --metrics` does. */
async function counted(): Promise<Served> {
  const counts = new ShimCounts();
  const registry = shimRegistry(counts);
  let url = "";
  const started = (at: string) => void (url = at);
  await startMetricsPage("127.0.0.1:0", () => ({ registry, defect: console.error, started }));
  const dependencies = { store: tickStore(countedReads(storeReader(store), counts)), now: () => Date.now() };
  const counting = shimContext({
    ...dependencies,
    monotonic: () => performance.now(),
    onResponse: (row, status) => counts.count(row, status),
  });
  return { ...(await shim(counting)), metrics: url };
}
