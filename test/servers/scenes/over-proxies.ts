import type { S3Store } from "../../../src/object-store/s3/s3-store.ts";
import { type FaultProxy, startFaultProxy } from "../fault-proxy.ts";
import type { Front } from "../front.ts";
import type { S3Server } from "../radosgw.ts";
import { s3Store } from "../stores/s3-store.ts";
import { originsOver, type PublishedWorld } from "./published-world.ts";

export type Origins = PublishedWorld["origins"];

/** Starts a front that reaches bucket and shim through proxies. */
export async function overProxies(
  world: PublishedWorld,
  startFront: (origins: Origins) => Promise<Front>,
  body: (front: Front, bucket: FaultProxy, shim: FaultProxy) => Promise<void>,
): Promise<void> {
  const { bucket, shim } = world.origins;
  const bucketProxy = await startFaultProxy(`http://${bucket.host}:${bucket.port}`);
  const shimProxy = await startFaultProxy(`http://${shim.host}:${shim.port}`);
  const port = (proxy: FaultProxy) => Number(new URL(proxy.endpoint).port);
  const front = await startFront({
    bucket: { ...bucket, port: port(bucketProxy) },
    shim: { ...shim, port: port(shimProxy) },
  });
  bucketProxy.seen.length = 0;
  shimProxy.seen.length = 0;
  try {
    await body(front, bucketProxy, shimProxy);
  } finally {
    await front.stop();
    await Promise.all([bucketProxy.stop(), shimProxy.stop()]);
  }
}

/** The same over an empty folder of the server's bucket, with a shim that trusts `fronts`. */
export async function overFolder(
  { server, start, fronts }: { server: () => S3Server; start: (origins: Origins) => Promise<Front>; fronts?: string },
  body: (folder: { store: S3Store; front: Front; bucket: FaultProxy; shim: FaultProxy }) => Promise<void>,
): Promise<void> {
  const store = s3Store(server());
  const world = await originsOver(server(), store, fronts);
  try {
    await overProxies(world, start, (front, bucket, shim) => body({ store, front, bucket, shim }));
  } finally {
    await world.stop();
  }
}

export function ask({ hostname, port }: Front, path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`http://${hostname}:${port}${path}`, init);
}
