/**
 * A server of its own process for the shim's bench: `node served-answer.ts bare|shim <directory>`. Both answer one path
 * with the same bytes and headers, `bare` from memory with nothing but `node:http`, `shim` from the store.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { openStore } from "../../../src/object-store/open-store.ts";
import { answer } from "../../../src/shim/answer.ts";
import { shimContext } from "../../../src/shim/context.ts";
import { startServer } from "../../../src/shim/node/node-server.ts";
import { tickStore } from "../../../src/shim/node/tick-store.ts";

const [kind, directory = "", path = ""] = process.argv.slice(2);
const store = await openStore(directory, { write: false });
const context = shimContext({ store: tickStore(store), now: () => Date.now(), monotonic: () => performance.now() });

process.on("message", (message) => {
  if (message === "cpu") process.send?.({ cpu: process.cpuUsage() });
});
process.on("disconnect", () => process.exit());
process.send?.({ port: await (kind === "bare" ? bare() : shim()) });

async function bare(): Promise<number> {
  const { status, headers, body } = await answer({ method: "GET", url: path }, context);
  const server = createServer({ keepAliveTimeout: 65_000 }, (_, response) => {
    response.writeHead(status, headers);
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

async function shim(): Promise<number> {
  const options = { host: "127.0.0.1", port: 0, wallClock: () => Date.now(), defect: console.error };
  return (await startServer(context, options)).port;
}
