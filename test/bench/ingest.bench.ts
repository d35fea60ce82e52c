/** Rows a second of `ingest` from a file into a new ledger. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { printMedians, receiptLines, run as runTree, withTrees } from "./trees.ts";

const ROWS = 100_000;
const RUNS = 5;

export async function run(): Promise<void> {
  await withTrees(async (trees, folder) => {
    const file = join(folder, "receipts.ndjson");
    writeFileSync(file, receiptLines(ROWS, Date.now()));
    const rates = trees.map((): number[] => []);
    for (let turn = 0; turn < RUNS; turn++) {
      for (const [index, tree] of trees.entries()) {
        const { wall, output } = runTree(tree, ["ingest", file, "--ledger", "ledger.db"]);
        if (!output.startsWith(`${ROWS} accepted, `)) throw new Error(`ingest printed ${output}`);
        rates[index]?.push(ROWS / wall);
        for (const suffix of ["", "-wal", "-shm"]) rmSync(join(tree.folder, `ledger.db${suffix}`), { force: true });
      }
    }
    printMedians(`ingest of ${ROWS} receipts`, "rows a second (higher is better)", rates);
  });
}
