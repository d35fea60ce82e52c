/**
 * An answer as an object: the body is the body; status, headers, successors and the writer's own metadata go with
 * it, so that one put holds it all (docs/spec/publishing.md#objects).
 */
import type { Representation } from "../http/representation.ts";
import type { Successor } from "../http/successor.ts";
import type { StoreObject } from "./object-store.ts";

export interface StoredAnswer {
  readonly representation: Omit<Representation, "body">;
  readonly body: Uint8Array;
  readonly successors: readonly Successor[];
  readonly writerMetadata: WriterMetadata;
  /** The publisher's own hashes of the answer and its successors, so that lost state can be read back. */
  readonly states: readonly AnswerState[];
}

export interface AnswerState {
  /** Epoch ms. */
  readonly from: number;
  readonly identity: string;
}

/** Who put an object, under which lease, and from which facts (docs/spec/publishing.md#asof). */
export interface WriterMetadata {
  readonly epoch: number;
  /** The writer's random token. */
  readonly writer: string;
  readonly asof: Asof;
}

/**
 * What an object was computed from (docs/spec/publishing.md#asof), whole and short. Objects of earlier versions have `at`,
 * `position`, `telemetryId` and `safeBlock` alone.
 */
export interface Asof {
  /** Epoch ms of the build. */
  readonly at: number;
  /** 64 bits of the installation's id. */
  readonly of?: string;
  /** The installation's history that it belongs to, where that is not the first. */
  readonly history?: string;
  /** In the order of `FACT_KINDS`; null for a kind that it was not computed from. */
  readonly facts?: readonly (FactPart | null)[];
  /** Of the newest receipt. */
  readonly position?: number;
  readonly telemetryId?: string;
  readonly safeBlock?: string;
  readonly safeHash?: string;
  /** 64 bits of what the chain's views are bound to. */
  readonly chain?: string;
  /** Of a file: the version of the program whose words it has. */
  readonly program?: string;
}

/** How many facts of a kind; the sum of their hashes after a base (64 bits), where it is known; the base, where not 0. */
export type FactPart = readonly [count: number, sum?: string, base?: number];

export const JSON_TYPE = "application/json; charset=utf-8";

export function encodeAnswer(answer: StoredAnswer): StoreObject {
  const { representation, successors, writerMetadata } = answer;
  return {
    body: answer.body,
    contentType: representation.contentType ?? JSON_TYPE,
    metadata: {
      ...encodeWriterMetadata(writerMetadata),
      status: String(representation.status),
      headers: asciiJson(representation.headers),
      states: JSON.stringify(answer.states),
      ...(successors[0] === undefined
        ? {}
        : { "valid-until": String(successors[0].from), successors: asciiJson(successors) }),
    },
  };
}

/** Throws where the object is no answer of ours. */
export function decodeAnswer(object: StoreObject): StoredAnswer {
  const { metadata } = object;
  if (metadata.status === undefined || metadata.headers === undefined) throw new Error("it is no answer of Noonmark");
  return {
    representation: {
      status: Number(metadata.status),
      headers: JSON.parse(metadata.headers) as Record<string, string>,
    },
    body: object.body,
    successors: JSON.parse(metadata.successors ?? "[]") as Successor[],
    writerMetadata: decodeWriterMetadata(metadata),
    states: JSON.parse(metadata.states ?? "[]") as AnswerState[],
  };
}

/** The writer metadata alone, for objects that are no answers: tiles, heads, the index. */
export function encodeWriterMetadata({ epoch, writer, asof }: WriterMetadata): Record<string, string> {
  return { epoch: String(epoch), writer, asof: asciiJson(asof) };
}

export function decodeWriterMetadata(metadata: Readonly<Record<string, string>>): WriterMetadata {
  return {
    epoch: Number(metadata.epoch ?? "0"),
    writer: metadata.writer ?? "",
    asof: JSON.parse(metadata.asof ?? '{"at":0}') as Asof,
  };
}

/** JSON in printable ASCII, as a header's value must be. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
