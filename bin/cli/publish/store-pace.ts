/** The pace of puts per kind of store (docs/spec/publishing.md#the-cycle). */
import { type StoreLocation, storeLocation } from "../../../src/object-store/location.ts";

interface Pace {
  /** Minimum time between two puts of one key (ms). */
  readonly minimumPutInterval: number;
  /** Minimum time between two swaps of the head for new facts (ms). R2 and GCS accept one put a second for a key. */
  readonly swapInterval: number;
}

/** Object storage charges for puts. */
const PACES: Readonly<Record<StoreLocation["kind"], Pace>> = {
  directory: { minimumPutInterval: 0, swapInterval: 0 },
  s3: { minimumPutInterval: 5_000, swapInterval: 2_000 },
};

/** Returns the pace for the setting `store`. */
export function paceOf(store: string): Pace {
  return PACES[storeLocation(store)?.kind ?? "directory"];
}
