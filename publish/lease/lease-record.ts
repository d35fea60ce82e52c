/** `status.json`: who publishes, under which epoch, and how it goes (docs/spec/publishing.md#one-writer, #status). */

import * as z from "zod";
import type { PublicRecord } from "../../src/resources/publication-status/public-record.ts";
import { parseInstallationTelemetryKey } from "../../src/resources/telemetry/keys.ts";
import { EXIT, Failure } from "../../src/values/failure.ts";

const settledPointSchema = z.object({
  seq: z.number().int().nonnegative(),
  check: z.string(),
  /** Ids of those of which something up to there is left to put. */
  left: z.array(z.string()),
  /** The version of the program that published: another one's answers may be others. */
  program: z.string(),
});

export type SettledPoint = z.infer<typeof settledPointSchema>;

export const leaseRecordSchema = z.object({
  schemaVersion: z.literal(1),
  /** Rises by one whenever the lease changes hands. */
  epoch: z.number().int().positive(),
  /** The holder's random id: its writer token in every object that it puts. */
  holder: z.string().min(1),
  /** For messages, of the holder's id; of an earlier version host and process id. The operator's name for it is private. */
  holderName: z.string(),
  ttlMs: z.number().int().positive(),
  renewedAt: z.iso.datetime(),
  /** How far the holder's clock is ahead of the store's (ms), where that is worth telling (`store-skew.ts`). */
  clockSkewMs: z.number().nullable().default(null),
  /** How far the holder's wall clock has moved and is not trusted (ms, ahead positive); null while it is trusted. */
  clockMovedMs: z.number().nullable().default(null),
  /** The holder has let go: anybody may take it at once. */
  released: z.boolean(),
  lastCycleAt: z.iso.datetime().nullable(),
  nextCycleAt: z.iso.datetime().nullable(),
  /** Up to which change of the ledger the installations are published; null where that is not known, or by an earlier version. */
  settled: settledPointSchema.nullable().default(null),
  /** What everybody may read of the objects and `noonmark status` shows; free in form. */
  report: z.record(z.string(), z.unknown()),
  /** What the shim makes `/status.json` of; null with the site turned off, and of an earlier version. */
  public: z
    .custom<PublicRecord>((value) => typeof value === "object" && value !== null)
    .nullable()
    .default(null),
});

export type LeaseRecord = z.infer<typeof leaseRecordSchema>;

/** What a stranger may call a holder. */
export function publicName(holder: string): string {
  return `publisher ${holder.slice(0, 8)}`;
}

/** Undefined where the object is none of ours. */
export function leaseRecordOf(body: Uint8Array): LeaseRecord | undefined {
  try {
    return leaseRecordSchema.parse(JSON.parse(new TextDecoder().decode(body)));
  } catch {
    return undefined;
  }
}

export function leaseUnreadable(): Failure {
  return new Failure("lease_unreadable", "status.json in the store is damaged, or no lease record", {
    exit: EXIT.io,
    hint: "A publisher that starts takes the lease anew once this object has stood unchanged for 34 s.",
  });
}

/** Throws `Failure` lease_unreadable where the object is none of ours. */
export function parseLeaseRecord(body: Uint8Array): LeaseRecord {
  const record = leaseRecordOf(body);
  if (record === undefined) throw leaseUnreadable();
  return record;
}

/** Of the last holder's report what a new one says until its first cycle has ended: nothing that is the operator's. */
export function carriedOver(report: Readonly<Record<string, unknown>> | undefined): Record<string, unknown> {
  const { resources, others } = report ?? {};
  const own = Object.entries(resources ?? {}).filter(([key]) => parseInstallationTelemetryKey(key) === undefined);
  return { resources: Object.fromEntries(own), ...(others === undefined ? {} : { others }) };
}
