import { setFlagsFromString } from "node:v8";

/**
 * Keeps V8's heap small, before much is allocated: a publisher lives for months and its garbage is little, while the
 * default would let tens of megabytes of it lie. Work that allocates in bulk is better without. Until `firstPublishDone`
 * the old generation grows by little, too: what a first publish of a long history lets lie stays for as long as nothing
 * else is allocated.
 */
export function keepHeapSmall(): void {
  setFlagsFromString("--max-semi-space-size=2");
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--optimize-for-size");
}

/** From here on collecting so often would cost a quarter of each cycle's time and gain nothing. */
export function firstPublishDone(): void {
  setFlagsFromString("--no-optimize-for-size");
}
