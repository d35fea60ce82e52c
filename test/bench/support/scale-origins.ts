/** Origins with request counters: a proxy before one radosgw, and a proxy that balances two shims over it. */

import { once } from "node:events";
import { Agent, createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { S3Store } from "../../../src/object-store/s3/s3-store.ts";
import { shimContext } from "../../../src/shim/context.ts";
import { trustsFront } from "../../../src/shim/node/node-handler.ts";
import { type ShimServer, startServer } from "../../../src/shim/node/node-server.ts";
import { tickStore } from "../../../src/shim/node/store-reader.ts";
import type { FrontOrigins } from "../../servers/front.ts";
import { type S3Server, startRadosgw } from "../../servers/radosgw.ts";
import { allowReading } from "../../servers/scenes/published-world.ts";
import { makeBucket, s3Store, sameFolder } from "../../servers/stores/s3-store.ts";
import { putResponse } from "../../support/publish-response.ts";
import { BENCH_ROUTES } from "./fronts/front-routes.ts";

export interface CountedOrigins {
  readonly origins: FrontOrigins;
  /** Requests since the previous call. */
  counts(): { readonly bucket: number; readonly shims: readonly number[] };
  /** Publishes every response again. `lifetimeMs` is the time until its successor takes over. */
  publish(lifetimeMs: number): Promise<void>;
  stop(): Promise<void>;
}

const BODY = JSON.stringify({ revision: "r", text: "0123456789".repeat(200) });

export async function startOrigins(): Promise<CountedOrigins> {
  const server: S3Server = await startRadosgw();
  await makeBucket(server);
  await allowReading(server);
  const store = s3Store(server);
  const shims = await Promise.all([shimOver(server, store), shimOver(server, store)]);
  const bucketPort = Number(new URL(server.endpoint).port);
  const bucket = await countingProxy([bucketPort]);
  const balanced = await countingProxy(shims.map(({ port }) => port));
  const at = (port: number) => ({ protocol: "http", host: "127.0.0.1", port }) as const;
  return {
    origins: {
      bucket: { ...at(bucket.port), path: `/${store.place.slice("s3://".length)}/` },
      shim: at(balanced.port),
    },
    counts: () => ({ bucket: bucket.take()[0] ?? 0, shims: balanced.take() }),
    async publish(lifetimeMs) {
      const from = Date.now() + lifetimeMs;
      for (const { key, etag } of BENCH_ROUTES) {
        const headers = etag ? { etag: '"r"' } : {};
        await putResponse(store, key, { status: 200, headers, body: BODY }, [{ from }]);
      }
    },
    async stop() {
      for (const one of [bucket, balanced]) one.stop();
      await Promise.all(shims.map((shim) => shim.stop()));
      await server.stop();
    },
  };
}

function shimOver(server: S3Server, store: S3Store): Promise<ShimServer> {
  const monotonic = () => performance.now();
  const context = shimContext({ store: tickStore(sameFolder(server, store)), now: Date.now, monotonic });
  return startServer(context, {
    host: "127.0.0.1",
    port: 0,
    wallClock: Date.now,
    trusts: trustsFront("any"),
    defect: (error) => {
      throw error;
    },
  });
}

interface CountingProxy {
  readonly port: number;
  /** Requests to each server since the previous call. */
  take(): number[];
  stop(): void;
}

async function countingProxy(ports: readonly number[]): Promise<CountingProxy> {
  const agent = new Agent({ keepAlive: true });
  let counts = ports.map(() => 0);
  let received = 0;
  const server: Server = createServer({ keepAliveTimeout: 65_000 }, (incoming, response) => {
    const index = received++ % ports.length;
    counts[index] = (counts[index] ?? 0) + 1;
    const { method, url, headers } = incoming;
    const passed = request({ agent, host: "127.0.0.1", port: ports[index], method, path: url, headers }, (upstream) => {
      response.writeHead(upstream.statusCode ?? 502, upstream.headers);
      upstream.pipe(response);
    });
    passed.on("error", () => response.destroy());
    incoming.pipe(passed);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    take() {
      const taken = counts;
      counts = ports.map(() => 0);
      return taken;
    },
    stop() {
      server.closeAllConnections();
      server.close();
      agent.destroy();
    },
  };
}
