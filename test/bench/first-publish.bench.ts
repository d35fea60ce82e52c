/** A first `publish --once` of a ledger with many tiles, into an empty directory. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { GENESIS, printMedians, receiptLines, run as runTree, withTrees } from "./trees.ts";

const RECEIPTS = 50_000;
const RUNS = 5;

export async function run(): Promise<void> {
  await withTrees(async (trees, folder) => {
    const file = join(folder, "receipts.ndjson");
    writeFileSync(file, receiptLines(RECEIPTS, Date.now()));
    for (const tree of trees) runTree(tree, ["ingest", file, "--ledger", "ledger.db"]);
    const seconds = trees.map((): number[] => []);
    for (let turn = 0; turn < RUNS; turn++) {
      for (const [index, tree] of trees.entries()) {
        const settings = [
          "--installation-id",
          "wheel-1",
          "--genesis-timestamp",
          String(GENESIS),
          "--ledger",
          "ledger.db",
        ];
        const { cpu } = runTree(tree, ["publish", "--once", ...settings, "--store", "store", "--state", "state"]);
        seconds[index]?.push(cpu);
        for (const path of ["store", "state"]) rmSync(join(tree.folder, path), { recursive: true, force: true });
      }
    }
    printMedians(`first publish of ${RECEIPTS} receipts into a directory`, "s of CPU time", seconds);
  });
}
