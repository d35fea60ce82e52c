/**
 * The cost of a new block with one settlement for the views of the chain: updating the projections, building and comparing
 * onchain, settlements of both versions, and activity; over five hundred batches and over forty thousand. Before that all
 * batches are read, in steps. In a process of its own, with a publisher's heap.
 */
import { execFileSync } from "node:child_process";
import { join } from "node:path";

export async function run(): Promise<void> {
  const script = join(import.meta.dirname, "../support/chain/chain-views-process.ts");
  console.log(execFileSync(process.execPath, [script], { encoding: "utf8" }).trim());
}
