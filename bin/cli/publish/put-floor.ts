/** Least time between two puts of one key where puts cost money (design 1, "The cycle"), ms. */
const PUT_FLOOR_MS = 5_000;

/** Of the setting `store`: object storage is paid by the put, a directory is not. */
export function putFloorOf(store: string): number {
  return store.includes("://") ? PUT_FLOOR_MS : 0;
}
