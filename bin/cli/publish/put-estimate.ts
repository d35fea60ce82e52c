/**
 * The pace of puts and checks per kind of store (docs/spec/publishing.md#the-cycle), and an estimate of a month's puts.
 * `npm run bench -- day` compares the estimate with the counted puts of a simulated day.
 */
import { DEFAULT_PACE } from "../../../publish/lease/lease-record.ts";
import { readNewestReceipt, readReceipts } from "../../../src/ledger/read/receipts.ts";
import { listInstallations } from "../../../src/ledger/watermarks.ts";
import { type StoreLocation, storeLocation } from "../../../src/object-store/location.ts";
import type { Publication } from "../../../src/resources/publication.ts";
import type { Snapshot } from "../../../src/resources/snapshot.ts";
import type { ResourceName } from "../../../src/resources/table.ts";
import type { ReadOnlyDatabase } from "../../../src/sqlite/statement.ts";
import { ROUND_MS } from "../../../src/values/round.ts";

interface Pace {
  /** Minimum time (ms) between two puts of one key. */
  readonly putMs: number;
  /** Interval (ms) of the checks for damaged objects. */
  readonly scrubMs: number;
}

/** Object storage charges for puts, and for reads: the checks cause 8,640 a day. */
const PACES: Readonly<Record<StoreLocation["kind"], Pace>> = {
  directory: { putMs: 0, scrubMs: 1_000 },
  s3: { putMs: 5_000, scrubMs: 10_000 },
};

function paceOf(store: string): Pace {
  return PACES[storeLocation(store)?.kind ?? "directory"];
}

/** Returns the minimum time (ms) between two puts of one key for the setting `store`. */
export function minimumPutIntervalOf(store: string): number {
  return paceOf(store).putMs;
}

/** Returns the interval (ms) of the checks for damaged objects; 0 for none. */
export function scrubIntervalOf({
  store,
  scrubInterval,
}: {
  readonly store: string;
  readonly scrubInterval?: number | undefined;
}): number {
  return scrubInterval === undefined ? paceOf(store).scrubMs : scrubInterval * 1_000;
}

export const MONTH_MS = 30 * 86_400_000;
/** Changes of statistics per round: its end, closure, acceptance and the steps of its settlement. */
const STATISTICS_A_ROUND = 5;
/** The number of receipts that determine the pace. */
const RECENT = 100;

export interface PutPace {
  /** Minimum time (ms) between two puts of one key. */
  readonly minimumPutInterval: number;
  readonly publications: readonly Publication[];
  selected(resource: ResourceName): boolean;
  /** Milliseconds between two receipts, per installation that has receipts. */
  readonly receipts: readonly { readonly configured: boolean; readonly everyMs: number }[];
  /** True if there is a chain. The estimate assumes a new block in each interval of the height. */
  readonly hasChain: boolean;
}

/** Estimates the puts of thirty days, including lease renewals. Rare changes, such as modules, are ignored. */
export function putsAMonth({ minimumPutInterval, publications, selected, receipts, hasChain }: PutPace): number {
  const every = (ms: number) => MONTH_MS / ms;
  let puts = every(DEFAULT_PACE.renewMs);
  for (const { configured, everyMs } of receipts) {
    const moved: readonly ResourceName[] = ["telemetry", "observations", ...(configured ? (["process"] as const) : [])];
    puts += moved.filter((resource) => selected(resource)).length * every(Math.max(minimumPutInterval, everyMs));
  }
  const measures = receipts.some(({ configured }) => configured);
  for (const { resource, timing: { throttledInterval } = {} } of publications.filter((one) => selected(one.resource))) {
    if (hasChain && throttledInterval !== undefined) puts += every(throttledInterval);
    if (measures && resource === "statistics") puts += STATISTICS_A_ROUND * every(ROUND_MS);
  }
  return Math.round(puts);
}

/** Returns the pace of the newest receipts, by their receivedAt. */
export function receiptPace({ ledger, installationId }: Snapshot): PutPace["receipts"] {
  if (ledger === undefined) return [];
  return listInstallations(ledger).flatMap(({ rowId, id }) => {
    const everyMs = receiptMs(ledger, rowId);
    return everyMs === undefined ? [] : [{ configured: id === installationId, everyMs }];
  });
}

function receiptMs(ledger: ReadOnlyDatabase, installation: number): number | undefined {
  const newest = readNewestReceipt(ledger, installation);
  if (newest === undefined || newest.position === 1) return undefined;
  const [oldest] = readReceipts(ledger, installation, Math.max(1, newest.position - RECENT), newest.position);
  if (oldest === undefined) return undefined;
  return (newest.receivedAt - oldest.receivedAt) / (newest.position - oldest.position);
}
