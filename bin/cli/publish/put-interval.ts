/** Least time between two puts of one key if puts cost money (docs/spec/publishing.md#the-cycle), ms. */
const MINIMUM_PUT_INTERVAL_MS = 5_000;

/** For the setting `store`: object storage is paid by the put, a directory is not. */
export function minimumPutIntervalOf(store: string): number {
  return store.includes("://") ? MINIMUM_PUT_INTERVAL_MS : 0;
}

const SCRUB_DIRECTORY_MS = 1_000;
/** 8,640 reads a day. */
const SCRUB_BUCKET_MS = 10_000;

/** Between two objects that are checked (ms); 0: none is. */
export function scrubIntervalOf({
  store,
  scrubInterval,
}: {
  readonly store: string;
  readonly scrubInterval?: number | undefined;
}): number {
  if (scrubInterval !== undefined) return scrubInterval * 1_000;
  return store.includes("://") ? SCRUB_BUCKET_MS : SCRUB_DIRECTORY_MS;
}
