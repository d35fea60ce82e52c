/** Stores on a real S3 server, each in a separate bucket folder. */
import {
  CreateBucketCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
} from "@aws-sdk/client-s3";
import type { ObjectStore } from "../../../src/object-store/object-store.ts";
import { S3Store } from "../../../src/object-store/s3/s3-store.ts";
import type { S3Server } from "../radosgw.ts";

export const BUCKET = "noonmark-test";
let folders = 0;

export async function makeBucket(server: S3Server, region?: string): Promise<void> {
  const client = new S3Client(clientSettings(server, region));
  await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
  client.destroy();
}

interface Options {
  readonly prefix?: string;
  readonly region?: string;
  readonly singleWriter?: boolean;
  /** The address of a proxy in front of the server. */
  readonly endpoint?: string;
}

export function s3Store(server: S3Server, options: Options = {}): S3Store {
  const { prefix = `folder/${++folders}`, region, singleWriter = false, endpoint = server.endpoint } = options;
  return new S3Store({
    bucket: BUCKET,
    prefix,
    singleWriter,
    client: { ...clientSettings(server, region), endpoint },
  });
}

function placeOf(store: ObjectStore): string {
  if (!(store instanceof S3Store)) throw new TypeError(`${store.name} is no bucket`);
  return store.place;
}

/** Another client of the same objects. */
export function sameFolder(server: S3Server, store: ObjectStore, options: Options = {}): S3Store {
  return s3Store(server, { prefix: placeOf(store).slice(`s3://${BUCKET}/`.length), ...options });
}

export function clientSettings(server: S3Server, region = "default") {
  const { endpoint, accessKeyId, secretAccessKey } = server;
  return { endpoint, region, forcePathStyle: true, credentials: { accessKeyId, secretAccessKey } };
}

/** Replaces an object's body, like an operator's tool. */
export async function damageObject(
  settings: S3ClientConfig,
  store: ObjectStore,
  key: string,
  body: Uint8Array,
): Promise<void> {
  const client = new S3Client({ ...settings, requestChecksumCalculation: "WHEN_REQUIRED" });
  const at = { Bucket: BUCKET, Key: `${placeOf(store).slice(`s3://${BUCKET}/`.length)}/${key}` };
  const { Metadata, ContentType } = await client.send(new GetObjectCommand(at));
  await client.send(new PutObjectCommand({ ...at, Metadata, ContentType, Body: body, ContentLength: body.length }));
  client.destroy();
}
