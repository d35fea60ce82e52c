/** A standby's time (docs/spec/publishing.md#nothing-goes-back): it follows the sources, so that its first cycle is not behind. */
import { StoreUnavailable } from "../../src/object-store/object-store.ts";
import type { Standby } from "./acquire.ts";
import type { Lease } from "./lease.ts";

export interface Waiting {
  /** Brings what is derived to the sources. */
  follow(): Promise<void>;
  readonly signal: AbortSignal;
  /** For so long (ms), or until the signal. */
  pause(ms: number): Promise<void>;
  /** Once: another holds the lease. */
  onWait(): void;
  onOutage(error: Error): void;
}

/**
 * Until the lease is ours; undefined where the signal ended it. A store that does not answer is waited out too: whether
 * the holder lives is not known then.
 */
export async function waitForLease(standby: Standby, waiting: Waiting): Promise<Lease | undefined> {
  const { signal, onWait, onOutage } = waiting;
  let hasWaited = false;
  while (!signal.aborted) {
    try {
      const lease = await standby.tryAcquire();
      if (lease !== undefined) return lease;
      if (!hasWaited) onWait();
      hasWaited = true;
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      onOutage(error);
    }
    await waiting.follow();
    await waiting.pause(standby.pause());
  }
  return undefined;
}
