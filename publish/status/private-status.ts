/**
 * `private/status.json` (docs/spec/publishing.md#private-status): what the holder of the lease reports to its operator,
 * besides the public part in the lease object. No front and no shim serves it.
 */
import * as z from "zod";
import { PRIVATE_STATUS_KEY } from "../../src/http/keys.ts";
import type { LoggedPosition } from "../../src/ledger/intake/stream-position.ts";
import { type ObjectStore, readIfWhole, type StoreTag } from "../../src/object-store/object-store.ts";
import { encodeWriterMetadata, JSON_TYPE } from "../../src/object-store/stored-response.ts";
import type { Failure } from "../../src/values/failure.ts";
import { FORMAT_VERSION } from "../../src/values/format.ts";
import type { Clock } from "../clock/clock.ts";
import { type PrivateStatus, parsePrivateStatus } from "../lease/holder.ts";
import { type PutTarget, putUnderLease } from "../put.ts";
import type { Problems } from "../report.ts";
import type { WorstInstallation } from "./public-status.ts";

/** The position of the publisher's ledger in its stream. `log`: the number of the published log that contains its facts. */
export interface PublishedPosition extends LoggedPosition {
  readonly log: number;
}

const positionSchema = z.object({
  log: z.number().int(),
  size: z.number().int(),
  root: z.string(),
  position: z.object({
    name: z.string(),
    createdAt: z.string(),
    subject: z.string().nullable(),
    sequence: z.number().int(),
    message: z.object({ sequence: z.number().int(), time: z.number().int(), sha256: z.string() }).nullable(),
    rules: z.number().int(),
  }),
});

/**
 * Returns the last stored position in a stream, whoever stored it; undefined if there is none, or if its object is damaged.
 * Throws `StoreUnavailable`.
 */
export async function readPublishedPosition(store: Pick<ObjectStore, "get">): Promise<PublishedPosition | undefined> {
  const found = await readIfWhole(store, PRIVATE_STATUS_KEY);
  if (found === undefined) return undefined;
  try {
    return positionSchema.parse(parsePrivateStatus(found.body)["stream"]);
  } catch {
    return undefined;
  }
}

/** Why an installation or a source could not be published. `code` is stable. */
export interface ReportedFailure {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

/** Phrases the next step after a failure. */
export type HintOf = (failure: Failure) => string;

export function reported(failure: Failure, hintOf: HintOf): ReportedFailure {
  return { code: failure.code, message: failure.message, hint: hintOf(failure) };
}

/** The report of a publisher about itself. */
export interface OperatorReport {
  readonly failed: readonly { readonly key: string; readonly why: string }[];
  readonly failures: readonly ReportedFailure[];
  readonly warnings: readonly ReportedFailure[];
  readonly sources: Readonly<Record<string, unknown>>;
  readonly worst: readonly WorstInstallation[];
  readonly stream?: PublishedPosition;
}

/** At most this many failures are listed. The lease object has the total. */
const PROBLEM_LIMIT = 50;

/** `last`: the last cycle; `sources`: as they describe themselves. */
export function operatorReport(
  last: Problems | undefined,
  sources: Readonly<Record<string, unknown>>,
  worst: readonly WorstInstallation[],
  hintOf: HintOf,
): OperatorReport {
  const failed = (last?.rows ?? []).filter(({ action }) => action === "failed");
  return {
    failed: failed.slice(0, PROBLEM_LIMIT).map(({ key, why }) => ({ key, why })),
    failures: (last?.failures ?? []).slice(0, PROBLEM_LIMIT).map((failure) => reported(failure, hintOf)),
    warnings: (last?.warnings ?? []).map((failure) => reported(failure, hintOf)),
    sources,
    worst,
  };
}

/** Fields may be missing if another version wrote it. */
export type OperatorStatus = PrivateStatus & Partial<OperatorReport>;

/** Minimum time between two puts (ms). The last put, at release, does not wait. */
const PRIVATE_STATUS_MS = 300_000;
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
function contentOf({ sources, ...report }: OperatorReport): string {
  const { chain } = sources;
  const isProgress =
    typeof chain === "object" && chain !== null && "type" in chain && ["good", "range"].includes(String(chain.type));
  return JSON.stringify({ ...report, sources: isProgress ? { ...sources, chain: "good" } : sources });
}
