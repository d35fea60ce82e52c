/** The bucket of a Worker on workerd, filled as a publisher fills it through R2's S3 interface. */
import type { Miniflare } from "miniflare";
import type { StoreObject, StoreTag } from "../../src/object-store/object-store.ts";
import { type R2Bucket, R2Store } from "../../src/object-store/r2/r2-store.ts";
import { PUT_ID } from "../../src/object-store/seal.ts";
import { seal } from "../../src/object-store/seal-node.ts";

interface FilledBucket extends R2Bucket {
  put(key: string, body: Uint8Array, options: object): Promise<{ readonly etag: string }>;
}

export class WorkerBucket extends R2Store {
  readonly #bucket: FilledBucket;
  readonly #root: string;

  private constructor(bucket: FilledBucket, prefix: string) {
    super(bucket, prefix);
    this.#bucket = bucket;
    this.#root = prefix === "" ? "" : `${prefix}/`;
  }

  static async of(miniflare: Miniflare, prefix = ""): Promise<WorkerBucket> {
    return new WorkerBucket((await miniflare.getR2Bucket("STORE")) as unknown as FilledBucket, prefix);
  }

  async put(key: string, object: StoreObject): Promise<StoreTag> {
    const { body, contentType, metadata } = seal(object);
    const customMetadata = { ...metadata, [PUT_ID]: "0123456789ab" };
    return (await this.#bucket.put(this.#root + key, body, { httpMetadata: { contentType }, customMetadata })).etag;
  }
}
