/**
 * `private/status.json` (docs/spec/publishing.md#private-status): what the lease's holder tells the operator beyond the
 * lease object. No front and no shim serves it.
 */
import { z } from "zod";
import { PRIVATE_STATUS_KEY } from "../../src/http/keys.ts";
import { type ObjectStore, StoreDamaged } from "../../src/object-store/object-store.ts";
import type { CycleReport, ReportFailure } from "../cycle/report.ts";
import type { LeaseRecord } from "../lease/lease-record.ts";
import type { WorstInstallation } from "./public-report.ts";
import type { MeasuredRequests } from "./request-tally.ts";

/** Free in form but for its holder: another version may have written it. */
const privateStatusSchema = z.looseObject({
  schemaVersion: z.literal(1),
  epoch: z.number().int().positive(),
  /** As in the lease object: of another holder it says nothing of this one. */
  holder: z.string().min(1),
  /** Host and process id. */
  holderName: z.string(),
});

/** What the publisher knows of itself. */
export interface OperatorReport {
  readonly failed: readonly { readonly key: string; readonly why: string }[];
  readonly failures: readonly ReportFailure[];
  readonly warnings: readonly ReportFailure[];
  readonly sources: Readonly<Record<string, unknown>>;
  readonly worst: readonly WorstInstallation[];
  readonly requests?: MeasuredRequests;
}

/** Of many that fail, as many as a person reads; the lease object says how many there are. */
const MOST_PROBLEMS = 50;

/** Of the last cycle; `sources` as they describe themselves. */
export function operatorReport(
  last: CycleReport | undefined,
  sources: Readonly<Record<string, unknown>>,
  worst: readonly WorstInstallation[],
): OperatorReport {
  const failed = (last?.rows ?? []).filter(({ action }) => action === "failed");
  return {
    failed: failed.slice(0, MOST_PROBLEMS).map(({ key, why }) => ({ key, why })),
    failures: (last?.failures ?? []).slice(0, MOST_PROBLEMS),
    warnings: last?.warnings ?? [],
    sources,
    worst,
  };
}

export type PrivateStatus = z.infer<typeof privateStatusSchema> & Partial<OperatorReport>;

/** Throws where the bytes are no such status. */
export function parsePrivateStatus(body: Uint8Array): PrivateStatus {
  return privateStatusSchema.parse(JSON.parse(new TextDecoder().decode(body)));
}

/** Of the lease's holder; undefined where it is missing, damaged or another's. Throws `StoreUnavailable`. */
export async function readPrivateStatus(
  store: Pick<ObjectStore, "get">,
  { holder }: Pick<LeaseRecord, "holder">,
): Promise<PrivateStatus | undefined> {
  const found = await store.get(PRIVATE_STATUS_KEY, { fresh: true }).catch((error: unknown) => {
    if (error instanceof StoreDamaged) return undefined;
    throw error;
  });
  if (found === undefined) return undefined;
  try {
    const status = parsePrivateStatus(found.body);
    return status.holder === holder ? status : undefined;
  } catch {
    return undefined;
  }
}
