/**
 * Measures the time to process a block with one settlement: update the projections, then plan the onchain, settlement
 * and activity responses. Compares histories of 500 and 40,000 batches, in a separate process with the publisher's heap
 * limit.
 */
import { execFileSync } from "node:child_process";
import { join } from "node:path";

export async function run(): Promise<void> {
  const script = join(import.meta.dirname, "../support/chain/chain-views-process.ts");
  console.log(execFileSync(process.execPath, [script], { encoding: "utf8" }).trim());
}
