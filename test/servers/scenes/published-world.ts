/** The scripts' world in a real public bucket, and a shim over it on the real clock. */
import { PutBucketPolicyCommand, S3Client } from "@aws-sdk/client-s3";
import type { S3Store } from "../../../src/object-store/s3/s3-store.ts";
import type { LifetimeHeader } from "../../../src/shim/context.ts";
import { shimContext } from "../../../src/shim/context.ts";
import { type ShimServer, startServer } from "../../../src/shim/node/node-server.ts";
import { steadyStore } from "../../../src/shim/node/steady-store.ts";
import { putLiveWorld } from "../../support/world.ts";
import type { FrontOrigins } from "../front.ts";
import type { S3Server } from "../radosgw.ts";
import { BUCKET, clientSettings, s3Store, sameFolder } from "../stores/s3-store.ts";

export interface PublishedWorld {
  /** Access to the bucket as a publisher has it. */
  readonly store: S3Store;
  readonly shim: ShimServer;
  readonly origins: FrontOrigins;
  stop(): Promise<void>;
}

export async function publishWorld(server: S3Server): Promise<PublishedWorld> {
  await allowReading(server);
  const store = s3Store(server);
  await putLiveWorld(store);
  return originsOver(server, store);
}

/** A folder of the bucket with any content, and a shim over it in both of its modes. */
export async function originsOver(server: S3Server, store: S3Store): Promise<PublishedWorld> {
  const monotonic = () => performance.now();
  const reader = steadyStore(sameFolder(server, store), monotonic);
  const serve = (lifetimeHeader: LifetimeHeader) =>
    startServer(shimContext({ store: reader, storeFails: reader.fails, now: Date.now, monotonic, lifetimeHeader }), {
      host: "127.0.0.1",
      port: 0,
      wallClock: Date.now,
      defect: (error) => {
        throw error;
      },
    });
  const [shim, shared] = [await serve("cdn-cache-control"), await serve("cache-control")];
  const { hostname, port } = new URL(server.endpoint);
  return {
    store,
    shim,
    origins: {
      bucket: { host: hostname, port: Number(port), path: `/${store.place.slice("s3://".length)}/` },
      shim: { host: "127.0.0.1", port: shim.port },
      sharedShim: { host: "127.0.0.1", port: shared.port },
    },
    stop: async () => void (await Promise.all([shim.stop(), shared.stop()])),
  };
}

export async function allowReading(server: S3Server): Promise<void> {
  const client = new S3Client(clientSettings(server));
  const Statement = [{ Effect: "Allow", Principal: "*", Action: "s3:GetObject", Resource: `arn:aws:s3:::${BUCKET}/*` }];
  await client.send(
    new PutBucketPolicyCommand({ Bucket: BUCKET, Policy: JSON.stringify({ Version: "2012-10-17", Statement }) }),
  );
  client.destroy();
}
