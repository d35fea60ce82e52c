/**
 * A server of its own process for the shim's benches: `node served-answer.ts bare|shim|counted <directory>`. All answer
 * one path with the same bytes and headers: `bare` from memory with nothing but `node:http`, `shim` from the store,
 * `counted` likewise and with metrics.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { startMetricsServer } from "../../../bin/cli/metrics/metrics-server.ts";
import { shimRegistry } from "../../../bin/cli/metrics/shim-metrics.ts";
import { openStore } from "../../../src/object-store/open-store.ts";
import { answer } from "../../../src/shim/answer.ts";
import { type ShimContext, shimContext } from "../../../src/shim/context.ts";
import { startServer } from "../../../src/shim/node/node-server.ts";
import { countedReads, ShimCounts } from "../../../src/shim/node/shim-counts.ts";
import { storeReader } from "../../../src/shim/node/store-reader.ts";
import { tickStore } from "../../../src/shim/node/tick-store.ts";

const [kind, directory = "", path = ""] = process.argv.slice(2);
const store = await openStore(directory, { write: false });
const context = shimContext({ store: tickStore(storeReader(store)), now: () => Date.now(), monotonic: () => performance.now() });

process.on("message", (message) => {
  if (message === "cpu") process.send?.({ cpu: process.cpuUsage() });
});
process.on("disconnect", () => process.exit());
process.send?.({ ...(await (kind === "bare" ? bare() : kind === "shim" ? shim(context) : counted())) });

interface Served {
  readonly port: number;
  /** Of the page of metrics. */
  readonly metrics?: string;
}

async function bare(): Promise<Served> {
  const { status, headers, body } = await answer({ method: "GET", url: path }, context);
  const server = createServer({ keepAliveTimeout: 65_000 }, (_, response) => {
    response.writeHead(status, headers);
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { port: (server.address() as AddressInfo).port };
}

async function shim(context: ShimContext): Promise<Served> {
  const options = { host: "127.0.0.1", port: 0, wallClock: () => Date.now(), defect: console.error };
  return { port: (await startServer(context, options)).port };
}

/** As `serve --metrics` does it. */
async function counted(): Promise<Served> {
  const counts = new ShimCounts();
  const registry = shimRegistry(counts);
  const { url } = await startMetricsServer(
    { host: "127.0.0.1", port: 0 },
    { metrics: () => registry.metrics(), contentType: registry.contentType, defect: console.error },
  );
  const surroundings = { store: tickStore(countedReads(storeReader(store), counts)), now: () => Date.now() };
  const counting = shimContext({
    ...surroundings,
    monotonic: () => performance.now(),
    answered: (row, status) => counts.answered(row, status),
  });
  return { ...(await shim(counting)), metrics: url };
}
