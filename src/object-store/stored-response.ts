/**
 * Encodes a response as an object. Status, headers, successors and writer metadata are stored with the body, so that
 * one put writes all of it (docs/spec/publishing.md#objects).
 */
import { FALLBACK_REASON_HEADER, SOURCE_HEADER } from "../http/common-headers.ts";
import type { Representation } from "../http/representation.ts";
import type { Successor } from "../http/successor.ts";
import { isObject } from "../values/unknown.ts";
import type { StoreObject } from "./object-store.ts";

export interface StoredResponse {
  readonly representation: Omit<Representation, "body">;
  readonly body: Uint8Array;
  readonly successors: readonly Successor[];
  readonly writerMetadata: WriterMetadata;
  /** The publisher's fingerprints of the response and its successors, from which a lost state is restored. */
  readonly states: readonly ResponseState[];
}

export interface ResponseState {
  /** Epoch ms. */
  readonly from: number;
  readonly fingerprint: string;
}

/** The writer of an object, its lease epoch and its source version (docs/spec/publishing.md#source-version). */
export interface WriterMetadata {
  readonly epoch: number;
  /** The writer's random token. */
  readonly writer: string;
  readonly sourceVersion: SourceVersion;
}

/** The source version of an object (docs/spec/publishing.md#source-version) in a compact form. */
export interface SourceVersion {
  /** Epoch ms of the build. */
  readonly at: number;
  /** 64-bit hash of the installation's id. */
  readonly of?: string;
  /** The number of the log. */
  readonly log?: number;
  /** Entries of the log from which the object was computed, and their root (base64). */
  readonly size?: number;
  readonly root?: string;
  /** The ids of the keys that signed a checkpoint, separated by commas. */
  readonly keys?: string;
  /** Position of the installation's newest receipt. */
  readonly position?: number;
  readonly safeBlock?: string;
  readonly safeHash?: string;
  /** 64-bit hash of the deployment that the chain views depend on. */
  readonly chain?: string;
  /** The version of the program that built a response or a file. */
  readonly program?: string;
}

export const JSON_TYPE = "application/json; charset=utf-8";

export function encodeResponse(response: StoredResponse): StoreObject {
  const { representation, successors, writerMetadata } = response;
  return {
    body: response.body,
    contentType: representation.contentType ?? JSON_TYPE,
    metadata: {
      ...encodeWriterMetadata(writerMetadata),
      status: String(representation.status),
      ...encodeHeaders(representation.headers),
      states: encodeStates(response.states),
      ...(successors[0] === undefined
        ? {}
        : { "valid-until": String(successors[0].from), successors: asciiJson(successors) }),
    },
  };
}

/** Throws if the object is not a response of Noonmark, which must neither be served nor crash a reader. */
export function decodeResponse({ metadata, body }: StoreObject): StoredResponse {
  const status = Number(metadata.status);
  if (!Number.isInteger(status) || status < 200 || status > 599) throw new Error("its status is not an HTTP status");
  return {
    representation: { status, headers: decodeHeaders(metadata) },
    body,
    successors: parsed(metadata.successors ?? "[]", isSuccessorsOf(body.length), "successors"),
    writerMetadata: decodeWriterMetadata(metadata),
    states: decodeStates(metadata.states ?? "[]"),
  };
}

/** The entry of each header that a stored response may have. A front copies them (docs/spec/publishing.md#future). */
const ENTRIES = {
  etag: "etag",
  "cache-control": "cache-control",
  "retry-after": "retry-after",
  "content-security-policy": "content-security-policy",
  "referrer-policy": "referrer-policy",
  [SOURCE_HEADER]: "settlement-source",
  [FALLBACK_REASON_HEADER]: "fallback-reason",
} as const;

function encodeHeaders(headers: Representation["headers"]): Record<string, string> {
  const entries: Readonly<Record<string, string>> = ENTRIES;
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      const entry = entries[name];
      if (entry === undefined) throw new Error(`no entry for the header ${name}`);
      return [entry, value];
    }),
  );
}

function decodeHeaders(metadata: StoreObject["metadata"]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(ENTRIES).flatMap(([name, entry]) => (metadata[entry] ? [[name, metadata[entry]] as const] : [])),
  );
}

export function encodeStates(states: readonly ResponseState[]): string {
  return JSON.stringify(states.map(({ from, fingerprint }) => ({ from, fingerprint })));
}

export function decodeStates(text: string): ResponseState[] {
  return parsed(text, isStates, "states");
}

/** Encodes only the writer metadata, for objects that are not responses: tiles, heads, the index. */
export function encodeWriterMetadata({ epoch, writer, sourceVersion }: WriterMetadata): Record<string, string> {
  return { epoch: String(epoch), writer, "source-version": asciiJson(sourceVersion) };
}

export function decodeWriterMetadata(metadata: Readonly<Record<string, string>>): WriterMetadata {
  return {
    epoch: Number(metadata.epoch ?? "0"),
    writer: metadata.writer ?? "",
    sourceVersion: parsed(metadata["source-version"] ?? '{"at":0}', isSourceVersion, "source version"),
  };
}

/** Returns JSON in printable ASCII, as an HTTP header requires. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function parsed<T>(text: string | undefined, is: (value: unknown) => value is T, name: string): T {
  const value: unknown = text === undefined ? undefined : JSON.parse(text);
  if (!is(value)) throw new Error(`its ${name} are not in the format that Noonmark stores`);
  return value;
}

type Fields = Readonly<Record<string, unknown>>;

function isListOf(value: unknown, isOne: (one: Fields) => boolean): boolean {
  return Array.isArray(value) && value.every((one) => isObject(one) && isOne(one));
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isSourceVersion(value: unknown): value is SourceVersion {
  return isObject(value) && Number.isFinite(value.at);
}

function isStates(value: unknown): value is ResponseState[] {
  return isListOf(value, ({ from, fingerprint }) => Number.isFinite(from) && isText(fingerprint));
}

/** Checks successors of a body with this many bytes. */
function isSuccessorsOf(bytes: number): (value: unknown) => value is Successor[] {
  return (value): value is Successor[] =>
    isListOf(
      value,
      ({ from, key = "", headers = {}, edits = [] }) =>
        Number.isFinite(from) &&
        isText(key) &&
        isObject(headers) &&
        Object.values(headers).every((text) => text === null || isText(text)) &&
        isEdits(edits, bytes),
    );
}

/** Checks that edits are ascending, do not overlap, and lie within the body. */
function isEdits(value: unknown, bytes: number): boolean {
  let end = 0;
  return isListOf(value, ({ offset, length, text }) => {
    if (!isText(text) || !Number.isSafeInteger(offset) || !Number.isSafeInteger(length)) return false;
    const [start, replaced, before] = [Number(offset), Number(length), end];
    end = start + replaced;
    return start >= before && replaced >= 0 && end <= bytes;
  });
}
