/**
 * An S3 bucket as a store, below a prefix. One PutObject holds body, type and metadata, so that every put is atomic.
 *
 * - Every call ends within `LIMITS.limitMs` including retries; a hanging attempt is abandoned earlier.
 * - Each put has a random id in its metadata. If a conditional put is refused, the object is read back: the same id
 *   means that an earlier attempt was stored and its response lost.
 * - A tag is the server's ETag, which usually hashes only the body. It is used for conditions, never to detect a
 *   change.
 * - Only NoSuchKey means absent. A reader without permission to list gets 403 instead, which means "unavailable".
 */
import { randomBytes } from "node:crypto";
import type { S3ClientConfig } from "@aws-sdk/client-s3";
import { PROBE_PREFIX } from "../../http/keys.ts";
import { Failure } from "../../values/failure.ts";
import { printable } from "../../values/printable.ts";
import { checkKey, checkObject } from "../check-object.ts";
import { boundsOf, type ClockBounds } from "../clock-offset.ts";
import {
  type GetOptions,
  type ObjectStore,
  type PutCondition,
  STORE_LIMIT_MS,
  type StoreClock,
  StoreConflict,
  StoreDamaged,
  type StoredObject,
  type StoreObject,
  type StoreTag,
  StoreUnavailable,
} from "../object-store.ts";
import { type Attempt, type RetrySettings, retrying } from "../retry.ts";
import { seal, unseal } from "../seal-node.ts";
import { type Marked, S3Bucket } from "./bucket.ts";
import { type Conditions, type PutHeaders, probeConditions, tagInForm, type Written } from "./conditions.ts";
import { refusalOf, unavailable, verdictOf } from "./errors.ts";

/** `attemptMs` leaves time for a second attempt after a hanging one. */
export const LIMITS: RetrySettings = { limitMs: STORE_LIMIT_MS, attemptMs: STORE_LIMIT_MS / 2 - 50 };

/** A list may have this many pages more than one for each ten keys. Servers that filter return short and empty pages. */
const EXTRA_PAGES = 100;
const KEYS_A_PAGE = 10;

export interface S3StoreSettings {
  readonly bucket: string;
  /** Without slashes at its ends; empty for the whole bucket. */
  readonly prefix: string;
  readonly client: S3ClientConfig;
  /** The operator guarantees a single writer. The store then checks conditions itself if the server does not. */
  readonly singleWriter?: boolean;
  /** `LIMITS` by default. */
  readonly limits?: RetrySettings;
}

export class S3Store implements ObjectStore, StoreClock {
  readonly name: string;
  /** `s3://bucket/prefix`, as the setting `store` has it. */
  readonly place: string;
  readonly #bucket: S3Bucket;
  readonly #singleWriter: boolean;
  readonly #limits: RetrySettings;
  #conditions: Promise<Conditions> | undefined;

  constructor(settings: S3StoreSettings) {
    const { endpoint } = settings.client;
    this.place = `s3://${settings.bucket}${settings.prefix === "" ? "" : `/${settings.prefix}`}`;
    // Two servers may have a bucket of the same name.
    const host = typeof endpoint === "string" && URL.canParse(endpoint) ? new URL(endpoint).host : undefined;
    this.name = host === undefined ? this.place : `${this.place} at ${host}`;
    this.#bucket = new S3Bucket(settings.bucket, settings.prefix, settings.client);
    this.#singleWriter = settings.singleWriter === true;
    this.#limits = settings.limits ?? LIMITS;
  }

  async get(key: string, { unless }: GetOptions = {}): Promise<StoredObject | undefined> {
    checkKey(key);
    const found = await this.#read(key, unless?.tag);
    if (found === "unchanged") return unless;
    return found === undefined ? undefined : unseal(key, found.object);
  }

  async put(key: string, object: StoreObject, condition?: PutCondition): Promise<StoreTag> {
    checkKey(key);
    checkObject(object);
    const headers = condition === undefined ? {} : await this.#headersOf(key, condition);
    const done = await this.#write(key, seal(object), headers, condition?.repeated);
    if (done.refused === undefined) return done.tag;
    if (done.refused === "unsupported") throw this.#unavailable(`put ${this.place}/${key}`, done.error);
    throw new StoreConflict(`put ${this.place}/${key}: the condition does not hold`, { cause: done.error });
  }

  async delete(key: string): Promise<void> {
    checkKey(key);
    try {
      await this.#run((attempt) => this.#bucket.remove(key, attempt));
    } catch (error) {
      if (refusalOf(error) !== "absent") throw this.#unavailable(`delete ${this.place}/${key}`, error);
    }
  }

  async *list(prefix: string): AsyncIterable<string> {
    let from: string | undefined;
    let last: string | undefined;
    let [pages, keys] = [0, 0];
    do {
      const page = await this.#run(({ signal }) => this.#bucket.page(prefix, from, signal)).catch((error: unknown) => {
        throw this.#unavailable(`list ${this.place}/${prefix}`, error);
      });
      pages++;
      keys += page.keys.length;
      let ascends = true;
      for (const key of page.keys) {
        ascends &&= last === undefined || isAfter(key, last);
        last = key;
      }
      // A list that starts again or hardly advances would never end.
      const advances = ascends && pages <= EXTRA_PAGES + keys / KEYS_A_PAGE;
      const fault = page.fault ?? (advances ? undefined : `its keys do not continue, up to ${printable(last ?? "")}`);
      if (fault !== undefined) throw new StoreUnavailable(`list ${this.place}/${prefix}: ${fault}`);
      yield* page.keys;
      from = page.next;
    } while (from !== undefined);
  }

  async measureClock(now: () => number): Promise<ClockBounds> {
    const measure = async ({ signal }: Attempt) => {
      const sent = now();
      const date = await this.#bucket.date(newProbeKey(), signal);
      return boundsOf(sent, date, now());
    };
    return this.#run(measure).catch((error: unknown) => {
      throw this.#unavailable(`clock of ${this.place}`, error);
    });
  }

  watchClock(now: () => number, onBounds: (bounds: ClockBounds) => void): void {
    this.#bucket.watchDates(() => {
      const sent = now();
      return (date) => onBounds(boundsOf(sent, date, now()));
    });
  }

  /**
   * Checks everything that a writer needs of the server: conditions, lists and a clock. Throws `StoreUnavailable`, and
   * `Failure` conditions_unsupported without conditions if `singleWriter` is not set.
   */
  async probe(): Promise<void> {
    await this.#assertConditions();
    // If the endpoint contains the bucket, puts and gets work below a doubled prefix, and a list does not.
    for await (const _ of this.list(newProbeKey()));
    await this.measureClock(() => Date.now());
  }

  async #assertConditions(): Promise<void> {
    if ((await this.#probed()) !== "none" || this.#singleWriter) return;
    throw new Failure("conditions_unsupported", `${this.name} does not check If-None-Match and If-Match on a put`);
  }

  async #headersOf(key: string, condition: PutCondition): Promise<PutHeaders> {
    const form = await this.#probed();
    if (form !== "none") {
      return "ifTag" in condition ? { IfMatch: tagInForm(condition.ifTag, form) } : { IfNoneMatch: "*" };
    }
    await this.#assertConditions();
    const current = (await this.#read(key))?.object.tag;
    if (current === ("ifTag" in condition ? condition.ifTag : undefined)) return {};
    throw new StoreConflict(`put ${this.place}/${key}: the condition does not hold`);
  }

  /** Runs a request with retries. Throws the last attempt's error. */
  #run<T>(attempt: (attempt: Attempt) => Promise<T>): Promise<T> {
    return retrying(this.#limits, attempt, verdictOf);
  }

  /** Converts an error for the caller; `what` names the operation and key. */
  #unavailable(what: string, error: unknown): StoreUnavailable {
    return unavailable(what, error, { address: this.#bucket.address, limitMs: this.#limits.limitMs });
  }

  async #read(key: string): Promise<Marked | undefined>;
  async #read(key: string, unless: StoreTag | undefined): Promise<Marked | "unchanged" | undefined>;
  async #read(key: string, unless?: StoreTag): Promise<Marked | "unchanged" | undefined> {
    try {
      return await this.#run(({ signal }) => this.#bucket.read(key, signal, unless));
    } catch (error) {
      if (error instanceof StoreDamaged) throw error;
      if (refusalOf(error) === "absent") return undefined;
      if (unless !== undefined && refusalOf(error) === "unchanged") return "unchanged";
      throw this.#unavailable(`get ${this.place}/${key}`, error);
    }
  }

  /** Puts with retries, and returns the tag or the refusal of the condition. Throws `StoreUnavailable`. */
  async #write(key: string, object: StoreObject, headers: PutHeaders, repeated = () => {}): Promise<Written> {
    const putId = newPutId();
    let attempts = 0;
    try {
      const tag = await this.#run((attempt) => {
        if (attempts++ > 0) repeated();
        return this.#bucket.write(key, { object, putId }, headers, attempt);
      });
      return { tag, refused: undefined };
    } catch (error) {
      const refusal = refusalOf(error);
      const conditional = Object.keys(headers).length > 0;
      if (conditional && refusal === "unsupported") return { refused: "unsupported", error };
      // AWS responds with 404 to an If-Match for a deleted object.
      if (!conditional || (refusal !== "condition" && refusal !== "contended" && refusal !== "absent")) {
        throw this.#unavailable(`put ${this.place}/${key}`, error);
      }
      const found = await this.#read(key);
      const stored = found?.object.tag;
      if (found?.putId === putId) return { tag: found.object.tag, refused: undefined };
      return { refused: refusal === "contended" ? "contended" : "condition", stored, error };
    }
  }

  #probed(): Promise<Conditions> {
    if (this.#conditions === undefined) {
      this.#conditions = this.#probe();
      // A failed probe proves nothing, so the next put tries again.
      this.#conditions.catch(() => {
        this.#conditions = undefined;
      });
    }
    return this.#conditions;
  }

  async #probe(): Promise<Conditions> {
    const key = newProbeKey();
    const object: StoreObject = { body: new Uint8Array(), contentType: "text/plain", metadata: {} };
    let conditions: Conditions;
    try {
      conditions = await probeConditions((headers) => this.#write(key, object, headers));
    } catch (error) {
      // Report the failure of the put rather than that of the deletion.
      await this.delete(key).catch(() => undefined);
      throw error instanceof StoreUnavailable ? error : this.#unavailable(`put ${this.place}/${key}`, error);
    }
    await this.delete(key);
    return conditions;
  }
}

function newProbeKey(): string {
  return `${PROBE_PREFIX}${newPutId()}`;
}

function newPutId(): string {
  return randomBytes(9).toString("base64url");
}

function isAfter(key: string, other: string): boolean {
  return Buffer.compare(Buffer.from(key), Buffer.from(other)) > 0;
}
