/**
 * Responses in the coding that a reader accepts. An object's bytes are compressed once, on the thread pool and never on
 * the event loop. Simultaneous requests wait for that one result: it takes a few milliseconds and saves most of the
 * bytes. If too many different bodies are requested at once, as in an attack, they leave as they are.
 */
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { LRUCache } from "lru-cache";
import { COMPRESSED_TYPES } from "../../resources/table.ts";
import type { MaybePromise } from "../context.ts";
import type { FullResponse } from "../full-response.ts";

/** Smaller bodies gain nothing: they fill a packet. */
const LEAST_BYTES = 1_024;
/** For pages, which are composed for each request. A stored object keeps its encoded bytes beside it. */
const CACHE_BYTES = 16 << 20;
/** Compressions under way; the others wait for them. */
const MAX_PENDING = 16;
/** Level 5 of 11 has a third more bytes than the best, in a fiftieth of its time. */
const BROTLI_QUALITY = 5;

/** Values of Accept-Encoding whose choice is remembered. */
const MAX_CHOICES = 64;

const COMPRESSED = new Set(COMPRESSED_TYPES);

type Compress = (body: Uint8Array) => Promise<Uint8Array>;
const brotli = promisify(brotliCompress);
const COMPRESS: Readonly<Record<Coding, Compress>> = {
  br: (body) =>
    brotli(body, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
      },
    }),
  gzip: promisify(gzip),
};

/** The forms of one response. An encoded form is kept after it was made once. */
interface Forms extends Partial<Record<Coding, MaybePromise<FullResponse>>> {
  readonly identity: FullResponse;
}

export class EncodedResponses {
  readonly #forms = new WeakMap<FullResponse, Forms>();
  readonly #bytes = new LRUCache<string, Uint8Array>({
    maxSize: CACHE_BYTES,
    // A larger one is not worth what it would evict.
    maxEntrySize: CACHE_BYTES / 8,
    sizeCalculation: ({ length }) => length,
  });
  readonly #choices = new Map<string, Coding | undefined>();
  readonly #pending = new Map<string, Promise<Uint8Array>>();
  /** How often bytes were compressed. */
  compressions = 0;

  /** A response for a reader (not for a front, which compresses by itself). */
  encode(full: FullResponse, acceptEncoding: string | undefined): MaybePromise<FullResponse> {
    if (full.status !== 200) return full;
    let forms = this.#forms.get(full);
    if (forms === undefined) {
      if (!COMPRESSED.has(mediaType(full))) return full;
      forms = { identity: varied(full) };
      this.#forms.set(full, forms);
    }
    if (acceptEncoding === undefined || full.body.length < LEAST_BYTES) return forms.identity;
    const coding = this.#chosen(acceptEncoding);
    if (coding === undefined) return forms.identity;
    return forms[coding] ?? this.#encoded(forms, coding);
  }

  /** Readers send the same few values again and again. */
  #chosen(acceptEncoding: string): Coding | undefined {
    const known = this.#choices.get(acceptEncoding);
    if (known !== undefined || this.#choices.has(acceptEncoding)) return known;
    const coding = chooseCoding(acceptEncoding);
    if (this.#choices.size >= MAX_CHOICES) this.#choices.clear();
    this.#choices.set(acceptEncoding, coding);
    return coding;
  }

  #encoded(forms: Forms, coding: Coding): MaybePromise<FullResponse> {
    const { identity } = forms;
    const key = `${coding} ${createHash("sha256").update(identity.body).digest("base64")}`;
    const known = this.#bytes.get(key);
    if (known !== undefined) return (forms[coding] = encodedAs(identity, coding, known));
    if (!this.#pending.has(key) && this.#pending.size >= MAX_PENDING) return identity;
    const encoded = this.#compressed(key, coding, identity.body).then((bytes) => {
      // Bytes that compression does not shorten leave as they are.
      return (forms[coding] = bytes.length < identity.body.length ? encodedAs(identity, coding, bytes) : identity);
    });
    forms[coding] = encoded;
    encoded.catch(() => delete forms[coding]);
    return encoded;
  }

  #compressed(key: string, coding: Coding, body: Uint8Array): Promise<Uint8Array> {
    let bytes = this.#pending.get(key);
    if (bytes === undefined) {
      this.compressions += 1;
      bytes = COMPRESS[coding](body);
      this.#pending.set(key, bytes);
      bytes.then(
        (made) => {
          this.#pending.delete(key);
          this.#bytes.set(key, made);
        },
        () => this.#pending.delete(key),
      );
    }
    return bytes;
  }
}

function mediaType({ headers }: FullResponse): string {
  return (headers["content-type"] ?? "").split(";", 1)[0] as string;
}

const VARY = { vary: "Accept-Encoding" } as const;

function varied(full: FullResponse): FullResponse {
  const { validator } = full;
  return {
    ...full,
    headers: { ...full.headers, ...VARY },
    ...(validator === undefined
      ? {}
      : { validator: { ...validator, notModified: { ...validator.notModified, ...VARY } } }),
  };
}

function encodedAs(identity: FullResponse, coding: Coding, body: Uint8Array): FullResponse {
  const { headers, validator } = identity;
  return {
    ...identity,
    headers: { ...weak(headers), "content-encoding": coding, "content-length": String(body.length) },
    body,
    ...(validator === undefined ? {} : { validator: { ...validator, notModified: weak(validator.notModified) } }),
  };
}

/** The bytes differ under the same revision, so no strong tag may name both. */
function weak(headers: FullResponse["headers"]): FullResponse["headers"] {
  const { etag } = headers;
  return etag === undefined || etag.startsWith("W/") ? headers : { ...headers, etag: `W/${etag}` };
}

export type Coding = "br" | "gzip";

/** The better one first: it is chosen if a client prefers both equally. */
const CODINGS: readonly Coding[] = ["br", "gzip"];

const MEMBER = /^[ \t]*([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*(?:;[ \t]*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)[ \t]*)?$/i;

/**
 * `undefined`: the body without a coding. A client that refuses it and every other coding gets it, too: the API has no
 * 406, and RFC 9110 allows ignoring the field. A malformed member is ignored.
 */
export function chooseCoding(acceptEncoding: string | undefined): Coding | undefined {
  if (acceptEncoding === undefined) return undefined;
  const weights = new Map<string, number>();
  for (const member of acceptEncoding.split(",")) {
    const [, name, weight] = MEMBER.exec(member) ?? [];
    if (name !== undefined) weights.set(canonical(name), Number(weight ?? 1));
  }
  const others = weights.get("*");
  let best: Coding | undefined;
  let most = 0;
  for (const coding of CODINGS) {
    const weight = weights.get(coding) ?? others ?? 0;
    if (weight > most) [best, most] = [coding, weight];
  }
  // Unnamed identity is accepted, but less preferred than named codings.
  return most >= (weights.get("identity") ?? 0) ? best : undefined;
}

function canonical(name: string): string {
  const lower = name.toLowerCase();
  return lower === "x-gzip" ? "gzip" : lower;
}
