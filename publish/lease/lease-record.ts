/**
 * The lease object, `status.json` (docs/spec/publishing.md#one-writer): who publishes, under which epoch, and what everybody
 * may read about the publisher. It changes hands by compare-and-swap only.
 */
import * as z from "zod";
import { STATUS_KEY } from "../../src/http/keys.ts";
import {
  type ObjectStore,
  PUT_LIMIT_MS,
  StoreDamaged,
  type StoreObject,
  type StoreTag,
} from "../../src/object-store/object-store.ts";
import { JSON_TYPE } from "../../src/object-store/stored-response.ts";
import type { PublicRecord } from "../../src/resources/publication-status/public-record.ts";
import { parseInstallationTelemetryKey } from "../../src/resources/telemetry/route.ts";
import { Failure, formatFailure } from "../../src/values/failure.ts";
import { checkFormat, FORMAT_VERSION } from "../../src/values/format.ts";
import { FUTURE_ALLOWANCE_MS } from "../../src/values/freshness.ts";

/** A lease ends `ttlMs` after its last renewal. The second pace is used while a standby waits. */
export const DEFAULT_PACE = { ttlMs: 30_000, renewMs: 10_000 } as const;
export const STANDBY_PACE = { ttlMs: 12_000, renewMs: 4_000 } as const;

const checkpointSchema = z.object({
  /** The number of entries of the ledger's log, and their root (base64). */
  size: z.number().int().nonnegative(),
  root: z.string(),
  /** Ids of installations that have unpublished facts among these entries. */
  left: z.array(z.string()),
  /** The version of the program that published. Another version may render other responses. */
  program: z.string(),
  /** When the stored index was put (epoch ms). An older one may come back. */
  indexAt: z.number().optional(),
});

export type Checkpoint = z.infer<typeof checkpointSchema>;

const leaseRecordSchema = z.object({
  schemaVersion: z.literal(FORMAT_VERSION),
  /** Rises by one whenever the lease changes hands. */
  epoch: z.number().int().positive(),
  /** The holder's random id: its writer token in every object that it puts. */
  holder: z.string().min(1),
  /** For messages. It is made from the holder's id, because the host and process id are private. */
  holderName: z.string(),
  ttlMs: z.number().int().positive(),
  renewedAt: z.iso.datetime(),
  /** How far the holder's clock is ahead of the store's clock (ms); null if the difference is small or unknown. */
  clockSkewMs: z.number().nullable().default(null),
  /** True if the holder released the lease because its clock had moved. */
  clockMoved: z.boolean().default(false),
  /** True if the holder released it: anybody may take it at once. */
  released: z.boolean(),
  lastCycleAt: z.iso.datetime().nullable(),
  nextCycleAt: z.iso.datetime().nullable(),
  /** The published checkpoint; null if it is unknown. */
  checkpoint: checkpointSchema.nullable().default(null),
  /** A summary of the stored objects for `noonmark status`. */
  report: z.record(z.string(), z.unknown()),
  /** The shim renders `/status.json` from this; null if the site is turned off. */
  public: z
    .custom<PublicRecord>((value) => typeof value === "object" && value !== null)
    .nullable()
    .default(null),
});

export type LeaseRecord = z.infer<typeof leaseRecordSchema>;

/** Identifies one write of the record. A copy of the store that was put back has another one. */
export function writeId(tag: StoreTag, { renewedAt }: LeaseRecord): string {
  return `${tag} ${renewedAt}`;
}

export interface LeaseIdentity {
  readonly holder: string;
  /** Host and process id; private. */
  readonly holderName: string;
  /** Makes the public status until the end of the first cycle from the previous one. If absent, the previous one stays. */
  readonly opening?: (before: PublicRecord | null) => PublicRecord | null;
}

/** A holder's name for the public. */
export function publicName(holder: string): string {
  return `publisher ${holder.slice(0, 8)}`;
}

/** Undefined if the object is no lease record. Throws `Failure` format_unknown. */
function leaseRecordOf(body: Uint8Array): LeaseRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
  try {
    checkFormat(value, STATUS_KEY);
  } catch (error) {
    throw formatFailure(error);
  }
  return leaseRecordSchema.safeParse(value).data;
}

export function leaseUnreadable(): Failure {
  return new Failure("lease_unreadable", "status.json in the store is damaged, or is not a lease record");
}

/** Returns the part of the last holder's report that a new holder repeats until the end of its first cycle. */
export function inheritedReport(report: Readonly<Record<string, unknown>> | undefined): Record<string, unknown> {
  const { resources, others } = report ?? {};
  const own = Object.entries(resources ?? {}).filter(([key]) => parseInstallationTelemetryKey(key) === undefined);
  return { resources: Object.fromEntries(own), ...(others === undefined ? {} : { others }) };
}

/** The stored lease object. */
export interface FoundLease {
  /** Undefined if the object is damaged, or is not a lease record. */
  readonly record: LeaseRecord | undefined;
  /** Taken from the metadata if the object is unreadable; 0 if they have none. */
  readonly epoch: number;
  readonly tag: StoreTag;
}

/** Undefined if nobody ever held the lease. Throws `StoreUnavailable`. */
export async function findLease(store: ObjectStore): Promise<FoundLease | undefined> {
  try {
    const object = await store.get(STATUS_KEY, { fresh: true });
    if (object === undefined) return undefined;
    const record = leaseRecordOf(object.body);
    const epoch = record?.epoch ?? Number(object.metadata.epoch);
    return { record, epoch: Number.isSafeInteger(epoch) ? epoch : 0, tag: object.tag };
  } catch (error) {
    if (error instanceof StoreDamaged) return { record: undefined, epoch: 0, tag: error.tag };
    throw error;
  }
}

/** Undefined if nobody ever held the lease. Throws `Failure` lease_unreadable, `StoreUnavailable`. */
export async function readLease(store: ObjectStore): Promise<(FoundLease & { record: LeaseRecord }) | undefined> {
  const found = await findLease(store);
  if (found === undefined) return undefined;
  const { record } = found;
  if (record === undefined) throw leaseUnreadable();
  return { ...found, record };
}

/**
 * True if the lease ended so long ago that its holder is gone, although the holder's clock and ours may each be wrong by a minute.
 * `now` in epoch ms.
 */
export function hasExpired({ renewedAt, ttlMs }: LeaseRecord, now: number): boolean {
  return now - Date.parse(renewedAt) > ttlMs + PUT_LIMIT_MS + 2 * FUTURE_ALLOWANCE_MS;
}

/** `Failure` lease_lost, for a holder that finds another record than its own. */
export function lostTo(found: LeaseRecord | undefined): Failure {
  return new Failure("lease_lost", `${found?.holderName ?? "another publisher"} has taken over the lease`);
}

export function leaseObject(record: LeaseRecord): StoreObject {
  const body = new TextEncoder().encode(`${JSON.stringify(record)}\n`);
  return { body, contentType: JSON_TYPE, metadata: { epoch: String(record.epoch), writer: record.holder } };
}
