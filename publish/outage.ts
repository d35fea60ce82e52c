import { isDiskFull } from "../src/files/disk-full.ts";
import { StoreUnavailable } from "../src/object-store/object-store.ts";

/** Whether an error is one that passes: a store that does not answer, a disk that is full. The next turn tries again. */
export function isOutage(error: unknown): error is Error {
  return error instanceof StoreUnavailable || isDiskFull(error);
}
