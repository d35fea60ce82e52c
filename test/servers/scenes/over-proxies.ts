import type { S3Store } from "../../../src/object-store/s3/s3-store.ts";
import { type FaultProxy, startFaultProxy } from "../fault-proxy.ts";
import type { Front, FrontOrigins } from "../front.ts";
import type { S3Server } from "../radosgw.ts";
import { s3Store } from "../stores/s3-store.ts";
import { originsOver, type PublishedWorld } from "./published-world.ts";

export type Origins = FrontOrigins;

/** Starts a front that reaches bucket and shim through proxies. */
export async function overProxies(
  world: PublishedWorld,
  startFront: (origins: Origins) => Promise<Front>,
  body: (front: Front, bucket: FaultProxy, shim: FaultProxy) => Promise<void>,
): Promise<void> {
  const { bucket, shim, sharedShim = shim } = world.origins;
  const bucketProxy = await startFaultProxy(`http://${bucket.host}:${bucket.port}`);
  const proxies = await Promise.all(
    [shim, sharedShim].map(({ host, port }) => startFaultProxy(`http://${host}:${port}`)),
  );
  const [shimProxy, sharedProxy] = proxies as [FaultProxy, FaultProxy];
  const port = (proxy: FaultProxy) => Number(new URL(proxy.endpoint).port);
  const front = await startFront({
    bucket: { ...bucket, port: port(bucketProxy) },
    shim: { ...shim, port: port(shimProxy) },
    sharedShim: { ...sharedShim, port: port(sharedProxy) },
  });
  try {
    await body(front, bucketProxy, front.asksSharedShim === true ? sharedProxy : shimProxy);
  } finally {
    await front.stop();
    await Promise.all([bucketProxy, ...proxies].map((proxy) => proxy.stop()));
  }
}

/** The same over an empty folder of the server's bucket. */
export async function overFolder(
  { server, start }: { server: () => S3Server; start: (origins: Origins) => Promise<Front> },
  body: (folder: { store: S3Store; front: Front; bucket: FaultProxy; shim: FaultProxy }) => Promise<void>,
): Promise<void> {
  const store = s3Store(server());
  const world = await originsOver(server(), store);
  try {
    await overProxies(world, start, (front, bucket, shim) => body({ store, front, bucket, shim }));
  } finally {
    await world.stop();
  }
}

export function ask({ hostname, port }: Front, path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`http://${hostname}:${port}${path}`, init);
}
