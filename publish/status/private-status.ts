/**
 * `private/status.json` (docs/spec/publishing.md#private-status): what the holder of the lease reports to its operator,
 * besides the public part in the lease object. No front and no shim serves it.
 */
import * as z from "zod";
import { PRIVATE_STATUS_KEY } from "../../src/http/keys.ts";
import { type ObjectStore, readIfWhole, type StoreTag } from "../../src/object-store/object-store.ts";
import { encodeWriterMetadata, JSON_TYPE } from "../../src/object-store/stored-response.ts";
import { Failure } from "../../src/values/failure.ts";
import { FORMAT_VERSION } from "../../src/values/format.ts";
import { printable, printableValues } from "../../src/values/printable.ts";
import type { Clock } from "../clock/clock.ts";
import type { LeaseRecord } from "../lease/lease-record.ts";
import { type PutTarget, putUnderLease } from "../put.ts";
import type { Problems, ReportFailure } from "../report.ts";
import type { WorstInstallation } from "./public-status.ts";
import type { MeasuredRequests } from "./request-tally.ts";

/** Only these fields are fixed: another version may have written the rest. */
const privateStatusSchema = z.looseObject({
  schemaVersion: z.literal(FORMAT_VERSION),
  epoch: z.number().int().positive(),
  /** As in the lease object. If it differs, the status is an earlier holder's. */
  holder: z.string().min(1),
  /** Host and process id. */
  holderName: z.string(),
});

export type PrivateStatus = z.infer<typeof privateStatusSchema>;

/** Throws if the bytes are not a private status. All texts are made printable for a terminal. */
export function parsePrivateStatus(body: Uint8Array): PrivateStatus {
  return printableValues(privateStatusSchema.parse(JSON.parse(new TextDecoder().decode(body))));
}

/** Undefined if it is missing, damaged or an earlier holder's. Throws `StoreUnavailable`. */
export async function readPrivateStatus(
  store: Pick<ObjectStore, "get">,
  { holder }: Pick<LeaseRecord, "holder">,
): Promise<OperatorStatus | undefined> {
  const found = await readIfWhole(store, PRIVATE_STATUS_KEY);
  if (found === undefined) return undefined;
  try {
    const status = parsePrivateStatus(found.body);
    return status.holder === holder ? status : undefined;
  } catch {
    return undefined;
  }
}

/** The report of a publisher about itself. */
export interface OperatorReport {
  readonly failed: readonly { readonly key: string; readonly why: string }[];
  readonly failures: readonly ReportFailure[];
  readonly warnings: readonly ReportFailure[];
  readonly sources: Readonly<Record<string, unknown>>;
  readonly worst: readonly WorstInstallation[];
  readonly requests?: MeasuredRequests;
}

/** At most this many failures are listed. The lease object has the total. */
const PROBLEM_LIMIT = 50;

/** `last`: the last cycle; `sources`: as they describe themselves. */
export function operatorReport(
  last: Problems | undefined,
  sources: Readonly<Record<string, unknown>>,
  worst: readonly WorstInstallation[],
): OperatorReport {
  const failed = (last?.rows ?? []).filter(({ action }) => action === "failed");
  return {
    failed: failed.slice(0, PROBLEM_LIMIT).map(({ key, why }) => ({ key, why })),
    failures: (last?.failures ?? []).slice(0, PROBLEM_LIMIT),
    warnings: last?.warnings ?? [],
    sources,
    worst,
  };
}

/** Fields may be missing if another version wrote it. */
export type OperatorStatus = PrivateStatus & Partial<OperatorReport>;

/** Minimum time between two puts (ms). The last put, at release, does not wait. */
export const PRIVATE_STATUS_MS = 300_000;
const CHECK_EVERY_MS = 10_000;

export class PrivateStatusWriter {
  readonly #target: Pick<PutTarget, "store" | "fence">;
  readonly #clock: Clock;
  readonly #holderName: string;
  #content: string | undefined;
  #tag: StoreTag | undefined;
  /** Monotonic. */
  #putAt = Number.NEGATIVE_INFINITY;
  #checkedAt = Number.NEGATIVE_INFINITY;

  constructor(target: Pick<PutTarget, "store" | "fence">, clock: Clock, holderName: string) {
    this.#target = target;
    this.#clock = clock;
    this.#holderName = holderName;
  }

  /** True if it is time to compare the report with the last one. */
  get isDue(): boolean {
    const now = this.#clock.monotonic();
    return now - this.#putAt >= PRIVATE_STATUS_MS && now - this.#checkedAt >= CHECK_EVERY_MS;
  }

  /** Puts the report if it differs from the last one. Throws the store's own errors, lease_… (75). */
  async put(report: OperatorReport): Promise<void> {
    const now = this.#clock.monotonic();
    const content = contentOf(report);
    if (content !== this.#content) await this.#replace(report, content, now);
    // After a failure the report is still due.
    this.#checkedAt = now;
  }

  async #replace(report: OperatorReport, content: string, now: number): Promise<void> {
    const { epoch, writer } = this.#target.fence;
    const status = { schemaVersion: FORMAT_VERSION, epoch, holder: writer, holderName: this.#holderName, ...report };
    const metadata = encodeWriterMetadata({ epoch, writer, sourceVersion: { at: this.#clock.wall() } });
    const object = { body: Buffer.from(`${JSON.stringify(status)}\n`), contentType: JSON_TYPE, metadata };
    const put = (replaces: StoreTag | null) =>
      putUnderLease({ key: PRIVATE_STATUS_KEY, object, replaces }, this.#target);
    const first = await put(this.#tag ?? null);
    // After a conflict: an earlier holder's object, a damaged one, or none.
    this.#tag = first.tag ?? (await put(first.found?.tag ?? null)).tag;
    if (this.#tag === undefined) return;
    this.#content = content;
    this.#putAt = now;
  }
}

/** The text that is compared. It leaves out the progress of the chain, which changes every few seconds. */
function contentOf({ sources, requests, ...report }: OperatorReport): string {
  const { chain } = sources;
  const isProgress =
    typeof chain === "object" && chain !== null && "type" in chain && ["good", "range"].includes(String(chain.type));
  const counted = requests === undefined ? undefined : stepOf(requests);
  return JSON.stringify({ ...report, counted, sources: isProgress ? { ...sources, chain: "good" } : sources });
}

const FIRST_HOUR_MS = 3_600_000;
const FIRST_STEP_MS = 600_000;

/** Request counts are reported every ten minutes in the first hour, then every hour. */
function stepOf({ since, until }: MeasuredRequests): string {
  const elapsed = Date.parse(until) - Date.parse(since);
  const step = elapsed < FIRST_HOUR_MS ? FIRST_STEP_MS : FIRST_HOUR_MS;
  return `${since} ${step} ${Math.floor(elapsed / step)}`;
}

/** `Failure` lease_held, with the holder's private name if it can be read. */
export async function heldBy(store: ObjectStore, record: LeaseRecord | undefined): Promise<Failure> {
  const holder =
    record === undefined ? "another publisher" : `${await holderNameOf(store, record)} (epoch ${record.epoch})`;
  const since = record === undefined ? "" : `, renewed ${record.renewedAt}`;
  return new Failure("lease_held", `${holder} holds the lease${since}`);
}

/** Host and process id, if the holder's private status can be read. */
export async function holderNameOf(store: ObjectStore, record: LeaseRecord): Promise<string> {
  const status = await readPrivateStatus(store, record).catch(() => undefined);
  return printable(status?.holderName ?? record.holderName);
}
