/** The limits of the heap of a publisher that runs for months. */
import { setFlagsFromString } from "node:v8";

/**
 * Keeps V8's heap small, before much is allocated. A publisher lives for months with little garbage, and the default would
 * keep tens of megabytes of it. Work that allocates in bulk is better without. Until `firstPublishDone` the old generation
 * grows little, too: the garbage of a first publish of a long history would stay for as long as nothing else is allocated.
 */
export function keepHeapSmall(): void {
  setFlagsFromString("--max-semi-space-size=2");
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--optimize-for-size");
}

/** After the first publish, collecting so often would cost a quarter of each cycle's time and save nothing. */
export function firstPublishDone(): void {
  setFlagsFromString("--no-optimize-for-size");
}
