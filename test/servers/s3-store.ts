/** Stores on a real S3 server: each in a bucket folder of its own. */
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import { S3Store, type S3StoreSettings } from "../../src/object-store/s3.ts";
import type { S3Server } from "./radosgw.ts";

export const BUCKET = "noonmark-test";
let folders = 0;

export async function makeBucket(server: S3Server): Promise<void> {
  const client = new S3Client(clientSettings(server));
  await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
  client.destroy();
}

/** `endpoint`: a proxy in front of the server, or the server itself. */
export function s3Store(server: S3Server, options: Partial<S3StoreSettings> = {}, endpoint = server.endpoint): S3Store {
  return new S3Store({
    bucket: BUCKET,
    prefix: `folder/${++folders}`,
    client: { ...clientSettings(server), endpoint },
    ...options,
  });
}

/** Another client of the same objects. */
export function sameFolder(server: S3Server, store: { name: string }, options: Partial<S3StoreSettings> = {}): S3Store {
  return s3Store(server, { prefix: store.name.slice(`s3://${BUCKET}/`.length), ...options });
}

export function clientSettings(server: S3Server) {
  const { endpoint, accessKeyId, secretAccessKey } = server;
  return { endpoint, region: "default", forcePathStyle: true, credentials: { accessKeyId, secretAccessKey } };
}
