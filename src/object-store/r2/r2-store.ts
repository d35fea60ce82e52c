/**
 * An R2 bucket as a store through a Worker's binding, at the edge and without `node:` modules. It only reads: a publisher
 * puts through R2's S3 interface. The runtime signs and retries requests. Tags hash only the body, as on S3.
 */
import { errorMessage } from "../../values/unknown.ts";
import { checkKey } from "../check-object.ts";
import { STORE_LIMIT_MS, type StoredObject, type StoreObject, StoreUnavailable } from "../object-store.ts";
import { assertSeal, sealedHead, withoutSeal } from "../seal.ts";

/** The part of a Worker's R2 bucket binding that this store uses. */
export interface R2Bucket {
  get(key: string): Promise<R2Body | null>;
}

interface R2Body {
  readonly etag: string;
  readonly httpMetadata?: { readonly contentType?: string };
  readonly customMetadata?: Readonly<Record<string, string>>;
  arrayBuffer(): Promise<ArrayBuffer>;
}

export class R2Store {
  readonly #bucket: R2Bucket;
  readonly #root: string;

  /** `prefix` has no slash at its ends and may be empty. */
  constructor(bucket: R2Bucket, prefix = "") {
    this.#bucket = bucket;
    this.#root = prefix === "" ? "" : `${prefix}/`;
  }

  /** As `ObjectStore.get`. It reads the bucket each time. Throws `StoreUnavailable`, `StoreDamaged`. */
  async get(key: string): Promise<StoredObject | undefined> {
    checkKey(key);
    const at = this.#root + key;
    const stored = await limited(`get r2:${at}`, async () => {
      const found = await this.#bucket.get(at);
      if (found === null) return undefined;
      const body = new Uint8Array(await found.arrayBuffer());
      const { etag: tag, customMetadata: metadata = {}, httpMetadata } = found;
      return { body, contentType: httpMetadata?.contentType ?? "", metadata, tag };
    });
    if (stored === undefined) return undefined;
    const { object, claimed } = withoutSeal(key, stored);
    assertSeal(key, object, claimed, await digestOf(object));
    return object;
  }
}

/** Adds the time limit that the binding lacks. */
async function limited<T>(what: string, request: () => Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no response within ${STORE_LIMIT_MS} ms`)), STORE_LIMIT_MS);
  });
  try {
    return await Promise.race([request(), late]);
  } catch (cause) {
    throw new StoreUnavailable(`${what}: ${errorMessage(cause)}`, { cause });
  } finally {
    clearTimeout(timer);
  }
}

async function digestOf(object: StoreObject): Promise<string> {
  const head = new TextEncoder().encode(sealedHead(object));
  const bytes = new Uint8Array(head.length + object.body.length);
  bytes.set(head);
  bytes.set(object.body, head.length);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return btoa(String.fromCharCode(...digest))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
