/**
 * Measures the publisher's own cycle time, idle and with one new receipt, over 10,000 and 10,000,000 receipts. Also
 * measures its memory over 10,000 cycles in a separate process.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeLargeLedger } from "../support/large-ledger.ts";
import { measure, openSubject, type Subject } from "../support/publisher/publisher-subject.ts";
import { quantile } from "../support/quantile.ts";

const SIZES = [10_000, 10_000_000];
const CYCLES = 400;
const ROUNDS = 30 * 144;

export async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "noonmark-bench-"));
  try {
    const subjects: Subject[] = [];
    for (const receipts of SIZES) {
      mkdirSync(join(folder, String(receipts)));
      writeLargeLedger(join(folder, String(receipts), "ledger.db"), { receipts, rounds: ROUNDS });
      subjects.push(await openSubject(join(folder, String(receipts)), receipts));
    }
    // Alternate the sizes so that both see the same machine load.
    for (let cycle = 0; cycle < CYCLES; cycle++) for (const subject of subjects) await measure(subject);
    for (const { receipts, cycles, idle, puts } of subjects) {
      const [cycle, quiet] = [quantile(cycles, 0.5), quantile(idle, 0.5)];
      const keys = new Set(puts.slice(-30).map((key) => key.replace(/\d+$/, "N")));
      keys.delete("status.json");
      console.log(
        `${receipts} receipts: idle ${quiet.toFixed(4)} ms, one new receipt ${cycle.toFixed(3)} ms (medians of ${CYCLES})`,
      );
      console.log(`  puts for one receipt: ${[...keys].join(", ")}`);
    }
    const [small, large] = subjects.map(({ cycles }) => quantile(cycles, 0.5)) as [number, number];
    console.log(`one new receipt, ten million over ten thousand: ${(large / small).toFixed(2)}`);
    for (const { close } of subjects) close();
    const script = join(import.meta.dirname, "../support/publisher/publisher-memory.ts");
    const args = [script, join(folder, String(SIZES[1])), String((SIZES[1] ?? 0) + CYCLES)];
    console.log(execFileSync(process.execPath, args, { encoding: "utf8" }).trim());
  } finally {
    rmSync(folder, { recursive: true });
  }
}
