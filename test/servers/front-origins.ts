/**
 * Serves every URL that has a stored object, without optional parameters, in a separate process: from a bucket, from
 * the shim, and from a plain server with a max-age. Arguments: body bytes, bucket port, shim port (0 or absent means
 * any free port). Sends the three ports to its parent.
 */

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { ROUTES } from "../../src/resources/table.ts";
import { shimContext } from "../../src/shim/context.ts";
import { startServer } from "../../src/shim/node/node-server.ts";
import { MemoryStore } from "../support/memory-store.ts";
import { putResponse } from "../support/publish-response.ts";

const [bytes = "2000", bucketPort = "0", shimPort = "0", shared] = process.argv.slice(2);
const REVALIDATE = "public, max-age=0, must-revalidate";
const body = JSON.stringify({ revision: "r", text: "0123456789".repeat(Number(bytes) / 10) });

const store = new MemoryStore();
for (const { key, etag } of ROUTES.flatMap(({ objects, etag }) => objects.map(({ key }) => ({ key, etag })))) {
  const headers = { ...(etag ? { etag: '"r"' } : {}), "cache-control": REVALIDATE };
  await putResponse(store, key, { status: 200, headers, body }, [{ from: Date.now() + 3_600_000 }]);
}

const bucket = createServer((request, response) => {
  const key = (request.url ?? "/").replace(/^\/(?:noonmark\/)?/, "");
  void store.get(key).then((object) => {
    if (object === undefined) return response.writeHead(404).end();
    const metadata = Object.entries(object.metadata).map(([name, value]) => [`x-amz-meta-${name}`, value] as const);
    const headers = { etag: '"storage"', "content-type": object.contentType, "content-length": object.body.length };
    return response.writeHead(200, { ...Object.fromEntries(metadata), ...headers }).end(object.body);
  });
});
const plain = createServer((_, response) => {
  response.writeHead(200, {
    etag: '"r"',
    "cache-control": "public, max-age=5",
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(body),
    "access-control-allow-origin": "*",
  });
  response.end(body);
});
const shim = await startServer(
  shimContext({
    store,
    now: Date.now,
    monotonic: () => performance.now(),
    lifetimeHeader: shared === "shared" ? "cache-control" : "cdn-cache-control",
  }),
  {
    host: "127.0.0.1",
    port: Number(shimPort),
    wallClock: Date.now,
    defect: (error) => {
      throw error;
    },
  },
);
process.send?.({
  bucket: await listening(bucket, Number(bucketPort)),
  shim: shim.port,
  plain: await listening(plain, 0),
});
process.on("disconnect", () => process.exit());

async function listening(server: Server, port: number): Promise<number> {
  server.keepAliveTimeout = 65_000;
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}
