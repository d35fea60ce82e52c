/** What a publisher tells its operator alone, in `private/status.json`. */
import type { ObjectStore } from "../../src/object-store/object-store.ts";
import type { LeaseRecord } from "../lease/lease-record.ts";
import { type PrivateStatus, readPrivateStatus } from "../lease/private-status.ts";
import type { Problems, ReportFailure } from "../report.ts";
import type { WorstInstallation } from "./public-report.ts";
import type { MeasuredRequests } from "./request-tally.ts";

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
  last: Problems | undefined,
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

/** Another version may have told less, or otherwise. */
export type OperatorStatus = PrivateStatus & Partial<OperatorReport>;

/** Of the lease's holder; undefined where it is missing, damaged or another's. Throws `StoreUnavailable`. */
export function readOperatorStatus(
  store: Pick<ObjectStore, "get">,
  lease: Pick<LeaseRecord, "holder">,
): Promise<OperatorStatus | undefined> {
  return readPrivateStatus(store, lease);
}
