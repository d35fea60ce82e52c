/** Least time between two puts of one key where puts cost money (docs/spec/publishing.md#the-cycle), ms. */
const MINIMUM_PUT_INTERVAL_MS = 5_000;

/** Of the setting `store`: object storage is paid by the put, a directory is not. */
export function minimumPutIntervalOf(store: string): number {
  return store.includes("://") ? MINIMUM_PUT_INTERVAL_MS : 0;
}
