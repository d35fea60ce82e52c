/** Least time between two puts of one key where puts cost money (docs/spec/publishing.md#the-cycle), ms. */
const MINIMUM_PUT_INTERVAL_MS = 5_000;

/** Of the setting `store`: object storage is paid by the put, a directory is not. */
export function minimumPutIntervalOf(store: string): number {
  return isDirectory(store) ? 0 : MINIMUM_PUT_INTERVAL_MS;
}

/** Least time between two puts of the growing tile in a directory: a put writes 24 kB there on average, ms. */
const MINIMUM_TILE_INTERVAL_MS = 30_000;

/** Of the setting `store`, as for every key in object storage. */
export function minimumTileIntervalOf(store: string): number {
  return isDirectory(store) ? MINIMUM_TILE_INTERVAL_MS : minimumPutIntervalOf(store);
}

function isDirectory(store: string): boolean {
  return !store.includes("://");
}
