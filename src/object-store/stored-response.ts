/**
 * Encodes a response as an object. Status, headers, successors and instant are stored with the body, so that
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
  /** Epoch ms of the build. */
  readonly at: number;
  /** In telemetry: the position of its receipt. */
  readonly position?: number | undefined;
}

export const JSON_TYPE = "application/json; charset=utf-8";

export function encodeResponse(response: StoredResponse): StoreObject {
  const { representation, successors, at, position } = response;
  return {
    body: response.body,
    contentType: representation.contentType ?? JSON_TYPE,
    metadata: {
      at: String(at),
      ...(position === undefined ? {} : { position: String(position) }),
      status: String(representation.status),
      ...encodeHeaders(representation.headers),
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
    at: decimal(metadata.at, "instant"),
    position: metadata.position === undefined ? undefined : decimal(metadata.position, "position"),
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

function decimal(text: string | undefined, name: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`its ${name} is no number`);
  return value;
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
