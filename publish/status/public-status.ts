/**
 * The public part of a publisher's status, inside the lease object: the shim renders `/status.json` from it
 * (docs/spec/people.md#status-json), `noonmark status` prints it. It stays small for any number of installations.
 */
import { hostname } from "node:os";
import type { ChainState } from "../../src/chain/chain-state.ts";
import { PUBLIC_LOGS } from "../../src/http/keys.ts";
import { readNewestReceipt } from "../../src/ledger/read/receipts.ts";
import { installationRowId } from "../../src/ledger/watermarks.ts";
import { verifierKey } from "../../src/log/note.ts";
import { originOf } from "../../src/log/public-log.ts";
import type { Signer } from "../../src/log/signer.ts";
import { RESPONSE_KEYS } from "../../src/resources/find.ts";
import type { PublicLog, PublicRecord, PublicResponse } from "../../src/resources/publication-status/public-record.ts";
import { deploymentFile } from "../../src/resources/site/route.ts";
import type { Snapshot } from "../../src/resources/snapshot.ts";
import { parseInstallationTelemetryKey } from "../../src/resources/telemetry/route.ts";
import type { ReadOnlyDatabase } from "../../src/sqlite/statement.ts";
import { formatTimestamp } from "../../src/values/timestamp.ts";
import type { Known } from "../known.ts";
import type { KnownObject } from "../known-objects.ts";
import type { LeaseIdentity } from "../lease/lease-record.ts";
import { storedCheckpoint } from "../plan/log-state.ts";
import type { CycleReport, Problems } from "../report.ts";
import type { SourceReader } from "../sources/source-reader.ts";

type Sources = PublicRecord["sources"];

/** Settings that `/status.json` needs. */
export interface PublishedSite {
  /** How long a chain view is valid after a good pass, ms. */
  readonly chainValidity: number;
}

/** Returns the published responses. `now` in epoch ms. */
export function publicResponses(known: Known, now: number): Record<string, PublicResponse> {
  const found = RESPONSE_KEYS.flatMap(([url, key]): [string, PublicResponse][] => {
    const object = known.objects.get(key);
    if (object?.condition !== "stored") return [];
    const next = object.states.find(({ from }, index) => index > 0 && from > now)?.from;
    const nextChangeAt = next === undefined ? null : formatTimestamp(next);
    const { at, size: logSize = null, safeBlock: number, safeHash: hash, program = "" } = object.sourceVersion;
    const safeBlock = number === undefined || hash === undefined ? null : { number, hash };
    const { status, etag } = object;
    return [[url, { asOf: formatTimestamp(at), status, nextChangeAt, etag, logSize, safeBlock, program }]];
  });
  return Object.fromEntries(found);
}

/** Returns the committed log; null before its first checkpoint. A log that is being made public is still a private one. */
export function publicLog(known: Known, signers: readonly Signer[]): PublicLog | null {
  const { log: number } = known;
  const stored = number === undefined ? undefined : storedCheckpoint(known, number);
  const { size, root } = stored?.sourceVersion ?? {};
  if (number === undefined || size === undefined || root === undefined) return null;
  const verifiers = stored?.key.startsWith(PUBLIC_LOGS) ? signers.map(({ verifier }) => verifier) : [];
  const origin = verifiers[0] === undefined ? null : originOf(verifiers[0].name, number);
  return { number, size, root, origin, verifierKey: verifiers.map((verifier) => verifierKey(verifier)) };
}

/** Returns the SHA-256 of the stored `/deployment.json`, which its ETag has in base64url; null if none is stored. */
export function deploymentHash(known: Known): string | null {
  const [{ key }] = deploymentFile.objects;
  const object = known.objects.get(key);
  if (object?.condition !== "stored" || object.etag === null) return null;
  return Buffer.from(object.etag.slice(1, -1), "base64url").toString("hex");
}

/**
 * The record until the first cycle has ended. Log, deployment and responses are copied if the last holder published
 * the same installation.
 */
function openingRecord(installationId: string, before: PublicRecord | null): PublicRecord {
  const { log, deploymentHash, responses } = before?.installationId === installationId ? before : NOTHING_PUBLISHED;
  return { installationId, log, deploymentHash, responses, sources: UNKNOWN_SOURCES };
}

const NOTHING_PUBLISHED = { log: null, deploymentHash: null, responses: {} } as const;

/** `chainValidity`: how long a chain view is valid after a good pass (ms). */
export function sourcesOf(
  snapshot: Snapshot,
  { failures }: Pick<CycleReport, "failures">,
  chainValidity: number,
): Sources {
  const { ledger, installationId, chain } = snapshot;
  const rowId = ledger && installationRowId(ledger, installationId);
  const newest = ledger === undefined || rowId === undefined ? undefined : readNewestReceipt(ledger, rowId);
  const isBehind = failures.some(({ code }) => code === "ledger_behind" || code === "ledger_forked");
  return {
    ledger: {
      status: ledgerStatus(ledger, isBehind),
      newestReceiptAt: newest === undefined ? null : formatTimestamp(newest.receivedAt),
    },
    chain: chainOf(chain, chainValidity),
  };
}

/** `isRefused`: the ledger does not contain what was published. */
export function ledgerStatus(ledger: ReadOnlyDatabase | undefined, isRefused: boolean): Sources["ledger"]["status"] {
  if (ledger === undefined) return "none";
  return isRefused ? "behind" : "followed";
}

export function withUnreadableLedger(sources: Sources): Sources {
  return { ...sources, ledger: { ...sources.ledger, status: "unreadable" } };
}

export const UNKNOWN_SOURCES: Sources = {
  ledger: { status: "unknown", newestReceiptAt: null },
  chain: { status: "unknown", indexedThroughBlock: null, safeThroughBlock: null, lastGoodPassAt: null },
};

const CHAIN_STATUS = {
  indexer_disabled: "disabled",
  indexer_mismatch: "mismatch",
  indexer_unavailable: "silent",
  not_yet_safe: "behind",
} as const;

function chainOf({ core, validUntil }: ChainState, chainValidity: number): Sources["chain"] {
  if (core.status === "unavailable") {
    const status = CHAIN_STATUS[core.reason];
    return { status, indexedThroughBlock: null, safeThroughBlock: null, lastGoodPassAt: null };
  }
  const { indexedThroughBlock, safeThroughBlock } = core.view.chain;
  return {
    status: "followed",
    indexedThroughBlock: String(indexedThroughBlock),
    safeThroughBlock: String(safeThroughBlock),
    lastGoodPassAt: formatTimestamp(validUntil - chainValidity),
  };
}

/** Sums over all installations but the configured one. */
export interface OtherInstallations {
  readonly count: number;
  /** Count of installations that an earlier holder published and that have not changed since. */
  readonly unread: number;
  /** Count of their telemetry responses by HTTP status. */
  readonly byStatus: Readonly<Record<string, number>>;
  /** The instants of the oldest and the newest telemetry. */
  readonly oldestAt: string | null;
  readonly newestAt: string | null;
  /** Count of installations whose successor is due and not yet put. */
  readonly overdue: number;
}

/** One of the installations that are overdue for the longest time, or the oldest. It is private. */
export interface WorstInstallation {
  readonly installationId: string;
  readonly at: string;
  readonly nextChangeAt: string | null;
}

const NAMED_LIMIT = 10;

/** `now` in epoch ms; `installations`: count in the ledger, the configured one included. */
export function publicReport(
  known: Known,
  last: Problems | undefined,
  now: number,
  installations: number,
): Record<string, unknown> & { readonly others: OtherInstallations } {
  const resources: Record<string, unknown> = {};
  const others: KnownObject[] = [];
  for (const object of known.objects.all()) {
    if (isOfAnother(object)) others.push(object);
    else resources[object.key] = describe(object);
  }
  const unread = Math.max(0, installations - 1 - others.length);
  return { resources, others: { ...sumOf(others, now), unread }, problems: problemsOf(last) };
}

/** Counts the problems. Only the count is public. */
function problemsOf(last: Problems | undefined): number {
  if (last === undefined) return 0;
  return last.failures.length + last.rows.filter(({ action }) => action === "failed").length;
}

/** `now` in epoch ms. */
export function worstInstallations(known: Known, now: number): WorstInstallation[] {
  return [...known.objects.all()]
    .filter(isOfAnother)
    .toSorted((a, b) => waitsSince(a, now) - waitsSince(b, now))
    .slice(0, NAMED_LIMIT)
    .map((object) => {
      const { at, nextChangeAt } = describe(object);
      return { installationId: parseInstallationTelemetryKey(object.key) ?? "", at, nextChangeAt };
    });
}

/** Sort key: the longest overdue first, then the oldest. */
function waitsSince({ states, sourceVersion }: KnownObject, now: number): number {
  const next = states[1]?.from;
  return next !== undefined && next <= now ? next - now : sourceVersion.at;
}

function sumOf(objects: readonly KnownObject[], now: number): Omit<OtherInstallations, "unread"> {
  let [oldest, newest, overdue] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  const byStatus: Record<string, number> = {};
  for (const { sourceVersion, states, status } of objects) {
    oldest = Math.min(oldest, sourceVersion.at);
    newest = Math.max(newest, sourceVersion.at);
    if ((states[1]?.from ?? now + 1) <= now) overdue++;
    byStatus[status] = (byStatus[status] ?? 0) + 1;
  }
  const instant = (at: number) => (Number.isFinite(at) ? formatTimestamp(at) : null);
  return { count: objects.length, byStatus, oldestAt: instant(oldest), newestAt: instant(newest), overdue };
}

function describe({ sourceVersion, status, states, etag }: KnownObject) {
  const next = states[1]?.from;
  const nextChangeAt = next === undefined ? null : formatTimestamp(next);
  return { at: formatTimestamp(sourceVersion.at), status, etag, nextChangeAt };
}

function isOfAnother({ key }: KnownObject): boolean {
  return parseInstallationTelemetryKey(key) !== undefined;
}

/** Inputs of the status in the first lease. */
export interface Publishes {
  readonly reader: Pick<SourceReader, "installationId">;
  /** Undefined if the site is turned off. */
  readonly site?: PublishedSite | undefined;
}

/** A new identity for each process. With `publishes`, `/status.json` is available from the first lease on. */
export function leaseIdentity(publishes?: Publishes): LeaseIdentity {
  const identity = { holder: crypto.randomUUID(), holderName: `${hostname()} process ${process.pid}` };
  if (publishes === undefined) return identity;
  const { reader, site } = publishes;
  return {
    ...identity,
    opening: (before) => (site === undefined ? null : openingRecord(reader.installationId, before)),
  };
}
