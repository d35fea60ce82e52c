/**
 * The body of `/status.json` (docs/spec/people.md#status-json), made from the publisher's head. It contains no data for
 * the operator.
 */

import { originOf } from "../../values/log.ts";
import { formatTimestamp } from "../../values/timestamp.ts";
import { fieldsOf, isObject } from "../../values/unknown.ts";
import { RESPONSE_KEYS } from "../find.ts";
import { deploymentFile } from "../site/route.ts";

/** The states of the ledger and of the chain in the last cycle; unknown before a publisher's first one. */
export const LEDGER_STATES = ["followed", "none", "unreadable", "behind", "unknown"] as const;
export const CHAIN_STATES = ["followed", "disabled", "silent", "mismatch", "behind", "unknown"] as const;

export interface PublicRecord {
  /** The configured installation. */
  readonly installationId: string;
  /** The committed log; null before its first checkpoint. */
  readonly log: PublicLog | null;
  /** SHA-256 of `/deployment.json` in hexadecimal digits; null if it is not published. */
  readonly deploymentHash: string | null;
  /** Responses by URL path with query. */
  readonly responses: Readonly<Record<string, PublicResponse>>;
  readonly sources: {
    readonly ledger: {
      readonly status: (typeof LEDGER_STATES)[number];
      readonly newestReceiptAt: string | null;
    };
    readonly chain: {
      readonly status: (typeof CHAIN_STATES)[number];
      readonly indexedThroughBlock: string | null;
      readonly safeThroughBlock: string | null;
      readonly lastGoodPassAt: string | null;
    };
  };
}

export const UNKNOWN_SOURCES: PublicRecord["sources"] = {
  ledger: { status: "unknown", newestReceiptAt: null },
  chain: { status: "unknown", indexedThroughBlock: null, safeThroughBlock: null, lastGoodPassAt: null },
};

interface PublicLog {
  readonly size: number;
  /** In base64. */
  readonly root: string;
  /** The first line of its checkpoints; null if the log is not public. */
  readonly origin: string | null;
  /** The keys that sign it, as `NAME+ID+DATA` (docs/spec/log.md#key); none if the log is not public. */
  readonly verifierKey: readonly string[];
}

export interface PublicResponse {
  readonly asOf: string;
  /** The HTTP status. */
  readonly status: number;
  readonly nextChangeAt: string | null;
  readonly etag: string | null;
  /** Entries of the log from which it was computed; null if it does not depend on facts. */
  readonly logSize: number | null;
  /** The block of the chain at which it was computed; null if it does not depend on the chain. */
  readonly safeBlock: { readonly number: string; readonly hash: string } | null;
  /** The version of the program that built it. */
  readonly program: string;
}

/** The fields of the head that the public status and the shim's health use. Instants in epoch ms. */
export interface HeadFacts {
  readonly installationId: string;
  readonly lease: { readonly renewedAt: number; readonly ttlMs: number; readonly released: boolean };
  /** The instant of the last cycle; 0 before the first. */
  readonly at: number;
  readonly nextCycleAt: number | null;
  readonly log: {
    readonly size: number;
    readonly root: string;
    readonly form: string;
    readonly keys: readonly string[];
  };
  readonly responses: Readonly<Record<string, HeadResponse>>;
  readonly sources: PublicRecord["sources"];
  readonly problems: readonly (readonly [code: string, count: number])[];
}

interface HeadResponse extends Omit<PublicResponse, "asOf" | "nextChangeAt"> {
  /** Since when (epoch ms) the response and each of its successors holds. */
  readonly states: readonly (readonly [from: number, fingerprint: string])[];
  readonly asOf: number;
}

/** Throws unless the object is a head. */
export function headFacts(body: Uint8Array): HeadFacts {
  const facts: unknown = JSON.parse(new TextDecoder().decode(body));
  if (!isHead(facts)) throw new Error("it is not a head of Noonmark");
  return facts;
}

function isHead(value: unknown): value is HeadFacts {
  const { lease, installationId, responses, log } = fieldsOf(value);
  const { renewedAt, ttlMs } = fieldsOf(lease);
  const isWhole = isObject(responses) && isObject(log) && typeof installationId === "string";
  return isWhole && typeof renewedAt === "number" && typeof ttlMs === "number";
}

/** `now` in epoch ms. Undefined if the site is turned off. */
export function publicRecordOf(head: HeadFacts, now: number): PublicRecord | undefined {
  const [{ key: deploymentKey }] = deploymentFile.objects;
  const deployment = head.responses[deploymentKey]?.etag;
  if (deployment == null) return undefined;
  const { installationId, log, sources } = head;
  const [key] = log.keys;
  return {
    installationId,
    log:
      log.size === 0
        ? null
        : {
            size: log.size,
            root: log.root,
            origin: key === undefined ? null : originOf(key.slice(0, key.indexOf("+"))),
            verifierKey: log.keys,
          },
    // The ETag is the hash in base64url.
    deploymentHash: hexOf(deployment.slice(1, -1)),
    responses: Object.fromEntries(
      RESPONSE_KEYS.flatMap(([url, key]) => {
        const response = head.responses[key];
        return response === undefined ? [] : [[url, publicResponse(response, now)] as const];
      }),
    ),
    sources,
  };
}

function publicResponse(
  { states, asOf, status, etag, logSize, safeBlock, program }: HeadResponse,
  now: number,
): PublicResponse {
  const next = states.find(([from], index) => index > 0 && from > now)?.[0];
  const nextChangeAt = next === undefined ? null : formatTimestamp(next);
  return { asOf: formatTimestamp(asOf), status, nextChangeAt, etag, logSize, safeBlock, program };
}

function hexOf(base64url: string): string {
  const bytes = atob(base64url.replaceAll("-", "+").replaceAll("_", "/"));
  return Array.from(bytes, (byte) => byte.charCodeAt(0).toString(16).padStart(2, "0")).join("");
}

/** A publisher is `stopped` if its lease has not been renewed for this long (ms). */
const STOPPED_AFTER_MS = 60_000;

/** live: renewed within the TTL; late: not renewed within it; stopped: released, or not renewed for a minute. */
export const PUBLISHER_STATES = ["live", "late", "stopped"] as const;
export type PublisherState = (typeof PUBLISHER_STATES)[number];

/** `now` is in epoch ms. */
export function publisherState(
  { lease: { released, renewedAt, ttlMs } }: Pick<HeadFacts, "lease">,
  now: number,
): PublisherState {
  const age = now - renewedAt;
  if (released || age >= STOPPED_AFTER_MS) return "stopped";
  return age >= ttlMs ? "late" : "live";
}
