/**
 * Reads and puts of an S3 bucket with every retry, each ended within the limit, and the meaning of their refusals. Each put
 * carries an id of its own in the metadata. If a conditional put is refused, the object is read back: one with this id means
 * that an earlier attempt was stored and its response lost.
 */
import { randomBytes } from "node:crypto";
import {
  STORE_LIMIT_MS,
  StoreDamaged,
  type StoreObject,
  type StoreTag,
  type StoreUnavailable,
} from "../object-store.ts";
import { type Attempt, type RetrySettings, retrying } from "../retry.ts";
import type { Marked, PutHeaders, S3Bucket } from "./bucket.ts";
import { refusalOf, unavailable, verdictOf } from "./errors.ts";

/** A hanging attempt leaves time for another one. */
export const LIMITS: RetrySettings = { limitMs: STORE_LIMIT_MS, attemptMs: STORE_LIMIT_MS / 2 - 50 };

type Written =
  | { readonly tag: StoreTag; readonly refused: undefined }
  | { readonly refused: "condition" | "unsupported"; readonly error: unknown };

export interface CallSettings {
  /** The store's name in messages. */
  readonly name: string;
  /** As in `S3Provider`. */
  readonly absentAfter: number;
  readonly limits: RetrySettings;
}

export class S3Calls {
  readonly #bucket: S3Bucket;
  readonly #settings: CallSettings;

  constructor(bucket: S3Bucket, settings: CallSettings) {
    this.#bucket = bucket;
    this.#settings = settings;
  }

  /** Any request, with every retry. Throws the last attempt's error. */
  run<T>(attempt: (attempt: Attempt) => Promise<T>, judge: typeof verdictOf = verdictOf): Promise<T> {
    return retrying(this.#settings.limits, attempt, judge);
  }

  /** The error of a call for its caller; `what` was being done to which key. */
  unavailable(what: string, error: unknown): StoreUnavailable {
    const { address } = this.#bucket;
    return unavailable(what, error, { address, limitMs: this.#settings.limits.limitMs });
  }

  /** A put with every retry: its tag, or the refusal of its condition. Throws `StoreUnavailable`. */
  async write(key: string, object: StoreObject, headers: PutHeaders, repeated = () => {}): Promise<Written> {
    const putId = newPutId();
    const done = await this.tryWrite(key, object, headers, { putId, repeated });
    if (done.refused !== "condition") return done;
    const stored = await this.read(key);
    return stored?.putId === putId ? { tag: stored.object.tag, refused: undefined } : done;
  }

  /** The same, but a stored put with a lost response may count as refused. */
  async tryWrite(
    key: string,
    object: StoreObject,
    headers: PutHeaders,
    { putId, repeated } = { putId: newPutId(), repeated: () => {} },
  ): Promise<Written> {
    let attempts = 0;
    try {
      const tag = await this.run((attempt) => {
        if (attempts++ > 0) repeated();
        return this.#bucket.write(key, { object, putId }, headers, attempt);
      });
      return { tag, refused: undefined };
    } catch (error) {
      const refusal = refusalOf(error);
      const conditional = Object.keys(headers).length > 0;
      if (conditional && refusal === "unsupported") return { refused: "unsupported", error };
      // AWS gives 404 to an If-Match for a deleted object.
      if (!conditional || (refusal !== "condition" && refusal !== "contended" && refusal !== "absent")) {
        throw this.unavailable(`put ${this.#settings.name}/${key}`, error);
      }
      return { refused: "condition", error };
    }
  }

  async read(key: string): Promise<Marked | undefined> {
    let absent = 0;
    const verdict = (error: unknown) => {
      if (refusalOf(error) !== "absent") return verdictOf(error);
      return { retry: ++absent < this.#settings.absentAfter };
    };
    try {
      return await this.run(({ signal }) => this.#bucket.read(key, signal), verdict);
    } catch (error) {
      if (error instanceof StoreDamaged) throw error;
      if (refusalOf(error) === "absent") return undefined;
      throw this.unavailable(`get ${this.#settings.name}/${key}`, error);
    }
  }
}

function newPutId(): string {
  return randomBytes(9).toString("base64url");
}
