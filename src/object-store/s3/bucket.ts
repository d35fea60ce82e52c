/** Sends single requests to a bucket, without retries. `errors.ts` interprets failures. */
import { pipeline, Readable, Transform } from "node:stream";
import type { ListObjectsV2CommandOutput, S3ClientConfig } from "@aws-sdk/client-s3";
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { fieldsOf } from "../../values/unknown.ts";
import { MAX_BODY_BYTES } from "../check-object.ts";
import { StoreDamaged, type StoredObject, type StoreObject, type StoreTag } from "../object-store.ts";
import type { Attempt } from "../retry.ts";
import { PUT_ID } from "../seal.ts";
import { bareTag, type PutHeaders } from "./conditions.ts";
import { BodyTooLarge, NoDate, NotS3, refusalOf } from "./errors.ts";

/** Limit of concurrent connections, which exceeds a publisher's needs. */
const MAX_SOCKETS = 64;

/** An object, and the id of the put that stored it. */
export interface Marked {
  readonly putId: string | undefined;
  readonly object: StoredObject;
}

export class S3Bucket {
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #root: string;
  #address: string | undefined;

  /** `prefix` has no slash at its ends and may be empty. */
  constructor(bucket: string, prefix: string, config: S3ClientConfig) {
    this.#bucket = bucket;
    this.#root = prefix === "" ? "" : `${prefix}/`;
    this.#client = new S3Client({
      requestChecksumCalculation: "WHEN_REQUIRED",
      responseChecksumValidation: "WHEN_REQUIRED",
      maxAttempts: 1,
      logger: SILENT,
      requestHandler: {
        logger: SILENT,
        httpAgent: { keepAlive: true, maxSockets: MAX_SOCKETS },
        httpsAgent: { keepAlive: true, maxSockets: MAX_SOCKETS },
      },
      ...config,
    });
    this.#client.middlewareStack.add(
      (next) => async (args) => {
        this.#address = addressOf(args.request);
        const result = await next(args);
        const response = result.response as { body?: unknown };
        if (response.body instanceof Readable) response.body = limited(response.body);
        return result;
      },
      { step: "deserialize", priority: "low", name: "noonmarkLimit" },
    );
  }

  /** Scheme, host and port of the last request; undefined before the first. */
  get address(): string | undefined {
    return this.#address;
  }

  /** A tag in `unless` makes the server refuse with 304 if the object still has it. */
  async read(key: string, abortSignal: AbortSignal, unless?: StoreTag): Promise<Marked> {
    const condition = unless === undefined ? {} : { IfNoneMatch: `"${unless}"` };
    const response = await this.#client.send(new GetObjectCommand({ ...this.#at(key), ...condition }), { abortSignal });
    const tag = storeTag(response.ETag);
    const read = response.Body?.transformToByteArray().catch((error: unknown) => {
      // The SDK reports an aborted body as if the server had cut it.
      if (abortSignal.aborted) throw abortSignal.reason;
      throw error instanceof BodyTooLarge ? new StoreDamaged(key, tag, error.message, { cause: error }) : error;
    });
    const body = (await read) ?? new Uint8Array();
    const { Metadata: metadata = {}, ContentType: contentType = "" } = response;
    return { putId: metadata[PUT_ID], object: { body, contentType, metadata, tag } };
  }

  async write(
    key: string,
    { putId, object }: { readonly putId: string; readonly object: StoreObject },
    headers: PutHeaders,
    { signal, end }: Attempt,
  ): Promise<StoreTag> {
    const command = new PutObjectCommand({
      ...this.#at(key),
      ...headers,
      Body: object.body,
      ContentLength: object.body.length,
      ContentType: object.contentType,
      Metadata: { ...object.metadata, [PUT_ID]: putId },
    });
    command.middlewareStack.add((next) => (args) => notAfter(end, () => next(args)), LAST);
    return storeTag((await this.#client.send(command, { abortSignal: signal })).ETag);
  }

  async remove(key: string, { signal, end }: Attempt): Promise<void> {
    const command = new DeleteObjectCommand(this.#at(key));
    command.middlewareStack.add((next) => (args) => notAfter(end, () => next(args)), LAST);
    await this.#client.send(command, { abortSignal: signal });
  }

  /**
   * Returns up to 1,000 keys, the token of the next page (undefined on the last one), and what the page contradicts. A
   * page with a fault must not be used: what it lacks would count as missing.
   */
  async page(prefix: string, from: string | undefined, abortSignal: AbortSignal) {
    const Prefix = this.#root + prefix;
    const command = new ListObjectsV2Command({ Bucket: this.#bucket, Prefix, ContinuationToken: from });
    const page = await this.#client.send(command, { abortSignal });
    return {
      keys: (page.Contents ?? []).map(({ Key = "" }) => Key.slice(this.#root.length)),
      next: page.IsTruncated === true ? page.NextContinuationToken : undefined,
      fault: pageFault(page, Prefix, from),
    };
  }

  /** Returns the Date of a response for a new key (epoch ms, whole seconds). Throws without one. */
  async date(unknownKey: string, abortSignal: AbortSignal): Promise<number> {
    const command = new HeadObjectCommand(this.#at(unknownKey));
    let date: number | undefined;
    command.middlewareStack.add(
      (next) => async (args) => {
        const result = await next(args);
        date = dateOf(result.response);
        return result;
      },
      { step: "deserialize", priority: "low", name: "noonmarkDate" },
    );
    const error = await this.#client.send(command, { abortSignal }).catch((cause: unknown) => cause);
    if (date === undefined || (Number.isNaN(date) && refusalOf(error) === "transient")) throw error;
    if (Number.isNaN(date)) throw new NoDate();
    return date;
  }

  /**
   * Reports the server's clock. `begin` is called before each later request, and what it returns is called with the
   * response's Date (epoch ms, whole seconds).
   */
  watchDates(begin: () => (date: number) => void): void {
    this.#client.middlewareStack.add(
      (next) => async (args) => {
        const onDate = begin();
        const result = await next(args);
        const date = dateOf(result.response);
        if (!Number.isNaN(date)) onDate(date);
        return result;
      },
      { step: "deserialize", priority: "low", name: "noonmarkDates", override: true },
    );
  }

  #at(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.#bucket, Key: this.#root + key };
  }
}

/** Without a logger the SDK writes warnings for programmers to stderr; its `NoOpLogger` does not prevent that. */
const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/** Throws `NotS3` without a tag, as for a proxy's page with status 200. */
function storeTag(etag: string | undefined): StoreTag {
  if (etag === undefined) throw new NotS3("no ETag");
  return bareTag(etag);
}

function addressOf(request: unknown): string {
  const { protocol, hostname, port } = fieldsOf(request);
  return `${protocol}//${hostname}${port === undefined ? "" : `:${port}`}`;
}

/** Limits the body of any response, including lists and errors, because the SDK holds it in memory. */
function limited(body: Readable): Readable {
  let bytes = 0;
  const limit = new Transform({
    transform(chunk: Buffer, _, done) {
      bytes += chunk.length;
      if (bytes > MAX_BODY_BYTES) done(new BodyTooLarge(`its body has more than ${MAX_BODY_BYTES} bytes`));
      else done(null, chunk);
    },
  });
  // The reader of the limited stream gets its error.
  return pipeline(body, limit, () => undefined);
}

/** The middleware step closest to the network. */
const LAST = { step: "deserialize", priority: "low", name: "noonmarkEnd" } as const;

/** Fails after the deadline: a process that was stopped must not send a change when it continues. */
async function notAfter<T>(end: number, send: () => Promise<T>): Promise<T> {
  if (performance.now() > end) throw new DOMException("the time limit has passed", "TimeoutError");
  return send();
}

/** Returns NaN without a Date, and for a response that a cache has kept: its Date is in the past. */
function dateOf(response: unknown): number {
  const { date, age = "0" } = fieldsOf(fieldsOf(response).headers);
  return Number(age) === 0 ? Date.parse(String(date)) : Number.NaN;
}

function pageFault(page: ListObjectsV2CommandOutput, prefix: string, from: string | undefined): string | undefined {
  const { Contents = [], KeyCount = Contents.length, IsTruncated, NextContinuationToken: next = "" } = page;
  // Also a response without a body, or of another program.
  if (IsTruncated === undefined) return "the response does not say whether it is the whole list";
  if (IsTruncated && next === "") return "the list is cut off, and the response names no next page";
  if (IsTruncated && next === from) return "the response names its own page as the next one";
  if (!IsTruncated && next !== "") return "the response says that it is the last page, and names a next one";
  if (KeyCount !== Contents.length) return `the response counts ${KeyCount} keys and contains ${Contents.length}`;
  const isForeign = (page.Prefix ?? prefix) !== prefix || Contents.some(({ Key }) => Key?.startsWith(prefix) !== true);
  return isForeign ? "the response is a list of other keys" : undefined;
}
