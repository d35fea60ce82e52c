/** The pace of puts and checks per kind of store (docs/spec/publishing.md#the-cycle). */
import { type StoreLocation, storeLocation } from "../../../src/object-store/location.ts";

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

/** Returns the interval (ms) of the checks for damaged objects. */
export function scrubIntervalOf(store: string): number {
  return paceOf(store).scrubMs;
}
