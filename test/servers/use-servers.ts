/** Real servers for the tests of one file, started before the first test and stopped after the last. */
import { afterAll, beforeAll } from "vitest";
import type { Front } from "./front.ts";
import { type S3Server, startRadosgw } from "./radosgw.ts";
import type { Origins } from "./scenes/over-proxies.ts";
import { type PublishedWorld, publishWorld } from "./scenes/published-world.ts";
import { makeBucket } from "./stores/s3-store.ts";

/** A real S3 server with an empty bucket. */
export function useS3Server(): () => S3Server {
  let server: S3Server | undefined;
  beforeAll(async () => {
    server = await startRadosgw();
    await makeBucket(server);
  });
  afterAll(() => server?.stop());
  return () => server as S3Server;
}

/** A front over the published world, in a bucket of that server. */
export function usePublishedFront(server: () => S3Server, start: (origins: Origins) => Promise<Front>) {
  let world: PublishedWorld | undefined;
  let front: Front | undefined;
  beforeAll(async () => {
    world = await publishWorld(server());
    front = await start(world.origins);
  });
  afterAll(async () => {
    await front?.stop();
    await world?.stop();
  });
  return { world: () => world as PublishedWorld, front: () => front as Front };
}
