/**
 * An R2 bucket as a store through a Worker's binding, at the edge and without `node:` modules. The runtime signs and
 * retries requests. Tags hash only the body, as on S3.
 */
import { errorMessage } from "../../values/unknown.ts";
import { checkKey, checkObject } from "../check-object.ts";
import {
  type GetOptions,
  type ObjectStore,
  type PutCondition,
  STORE_LIMIT_MS,
  StoreConflict,
  type StoredObject,
  type StoreObject,
  type StoreTag,
  StoreUnavailable,
} from "../object-store.ts";
import { assertSeal, sealedHead, withoutSeal, withSeal } from "../seal.ts";

/** The part of a Worker's R2 bucket binding that this store uses. */
export interface R2Bucket {
  get(key: string): Promise<R2Body | null>;
  /** Returns an entry without a body if `onlyIf` does not hold. */
  get(key: string, options: R2GetOptions): Promise<R2Body | R2Entry | null>;
  /** Returns null if `onlyIf` does not hold. */
  put(key: string, body: Uint8Array, options: R2PutOptions): Promise<R2Entry | null>;
  delete(key: string): Promise<void>;
  list(options: { prefix: string; cursor?: string }): Promise<R2Page>;
}

interface R2Entry {
  readonly key: string;
  readonly etag: string;
}

interface R2Body extends R2Entry {
  readonly httpMetadata?: { readonly contentType?: string };
  readonly customMetadata?: Readonly<Record<string, string>>;
  arrayBuffer(): Promise<ArrayBuffer>;
}

interface R2GetOptions {
  readonly onlyIf?: { readonly etagDoesNotMatch: string };
}

interface R2PutOptions {
  readonly httpMetadata: { readonly contentType: string };
  readonly customMetadata: Readonly<Record<string, string>>;
  /** Unquoted tags; `*` means any. */
  readonly onlyIf?: { readonly etagMatches: string } | { readonly etagDoesNotMatch: string };
}

type R2Page =
  | { readonly objects: readonly R2Entry[]; readonly truncated: false }
  | { readonly objects: readonly R2Entry[]; readonly truncated: true; readonly cursor: string };

export class R2Store implements ObjectStore {
  readonly name: string;
  readonly #bucket: R2Bucket;
  readonly #root: string;

  /** `prefix` has no slash at its ends and may be empty. */
  constructor(bucket: R2Bucket, prefix = "") {
    this.name = `r2:${prefix}`;
    this.#bucket = bucket;
    this.#root = prefix === "" ? "" : `${prefix}/`;
  }

  async get(key: string, { unless }: GetOptions = {}): Promise<StoredObject | undefined> {
    checkKey(key);
    const options = unless === undefined ? {} : { onlyIf: { etagDoesNotMatch: unless.tag } };
    const stored = await limited(`get ${this.name}/${key}`, async () => {
      const found = await this.#bucket.get(this.#root + key, options);
      if (found === null) return undefined;
      if (!("arrayBuffer" in found)) return "unchanged";
      return {
        body: new Uint8Array(await found.arrayBuffer()),
        contentType: found.httpMetadata?.contentType ?? "",
        metadata: found.customMetadata ?? {},
        tag: found.etag,
      };
    });
    if (stored === "unchanged") return unless;
    return stored === undefined ? undefined : unseal(key, stored);
  }

  async put(key: string, object: StoreObject, condition?: PutCondition): Promise<StoreTag> {
    checkKey(key);
    checkObject(object);
    const what = `put ${this.name}/${key}`;
    const { metadata } = await seal(object);
    const options = {
      httpMetadata: { contentType: object.contentType },
      customMetadata: metadata,
      ...onlyIf(condition),
    };
    const done = await limited(what, () => this.#bucket.put(this.#root + key, object.body, options));
    if (done === null) throw new StoreConflict(`${what}: the condition does not hold`);
    return done.etag;
  }

  async delete(key: string): Promise<void> {
    checkKey(key);
    await limited(`delete ${this.name}/${key}`, () => this.#bucket.delete(this.#root + key));
  }

  async *list(prefix: string): AsyncIterable<string> {
    let cursor: string | undefined;
    do {
      const options = { prefix: this.#root + prefix, ...(cursor === undefined ? {} : { cursor }) };
      const page = await limited(`list ${this.name}/${prefix}`, () => this.#bucket.list(options));
      for (const { key } of page.objects) yield key.slice(this.#root.length);
      cursor = page.truncated ? page.cursor : undefined;
    } while (cursor !== undefined);
  }
}

function onlyIf(condition: PutCondition | undefined): Pick<R2PutOptions, "onlyIf"> {
  if (condition === undefined) return {};
  return { onlyIf: "ifTag" in condition ? { etagMatches: condition.ifTag } : { etagDoesNotMatch: "*" } };
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

async function seal(object: StoreObject): Promise<StoreObject> {
  return withSeal(object, await digestOf(object));
}

/** Returns the object without its seal. Throws `StoreDamaged` if the seal does not match. */
async function unseal(key: string, stored: StoredObject): Promise<StoredObject> {
  const { object, claimed } = withoutSeal(key, stored);
  assertSeal(key, object, claimed, await digestOf(object));
  return object;
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
