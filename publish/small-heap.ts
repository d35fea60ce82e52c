import { setFlagsFromString } from "node:v8";

/**
 * Keeps the young generation of V8's heap small, before much is allocated: a publisher lives for months and its garbage
 * is little, while the default would let tens of megabytes of it lie. Work that allocates in bulk is better without.
 */
export function keepHeapSmall(): void {
  setFlagsFromString("--max-semi-space-size=2");
  setFlagsFromString("--semi-space-growth-factor=1");
}
