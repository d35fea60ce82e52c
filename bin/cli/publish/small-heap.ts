/** Limits the heap of a publisher that runs for months. */
import { setFlagsFromString } from "node:v8";

/**
 * Keeps V8's heap small; call it before much is allocated. With the defaults, a publisher that runs for months would
 * retain tens of megabytes of garbage. Not for work that allocates in bulk. Until `firstPublishDone`, the old
 * generation also grows slowly: otherwise the garbage of a long first publish would stay until more is allocated.
 */
export function keepHeapSmall(): void {
  setFlagsFromString("--max-semi-space-size=2");
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--optimize-for-size");
}

/** Lifts the limit of the old generation. It would now cost a quarter of each cycle's time and save nothing. */
export function firstPublishDone(): void {
  setFlagsFromString("--no-optimize-for-size");
}
