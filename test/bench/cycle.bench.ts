/**
 * CPU time of a running publisher for a cycle with one receipt. Each tree has a publisher of its own over 50,000
 * receipts, and both get a receipt in the same second.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { GENESIS, printMedians, receiptLines, run as runTree, type Tree, withTrees } from "./trees.ts";

const RECEIPTS = 50_000;
/** Cycles of one figure: the kernel counts CPU time in hundredths of a second. */
const CYCLES = 10;
const FIGURES = 3;
const TICKS_PER_SECOND = 100;
/** Objects that a publisher of this tree, or of an older one, puts once it holds the lease. */
const HEADS = ["private/head.json.http", "status.json.http"];

export async function run(): Promise<void> {
  await withTrees(async (trees) => {
    const lines = receiptLines(RECEIPTS, Date.now() - 3000);
    for (const tree of trees) runTree(tree, ["ingest", "-", "--ledger", "ledger.db"], lines);
    const publishers = trees.map(start);
    try {
      for (const { folder } of trees)
        while (!HEADS.some((name) => existsSync(join(folder, "store", name)))) await wait(100);
      await wait(5000);
      const figures = trees.map((): number[] => []);
      let sequence = RECEIPTS;
      for (let figure = -1; figure < FIGURES; figure++) {
        const before = publishers.map(cpuOf);
        for (let cycle = 0; cycle < CYCLES; cycle++) {
          const line = receiptLines(1, Date.now(), ++sequence);
          for (const tree of trees) runTree(tree, ["ingest", "-", "--ledger", "ledger.db"], line);
          await wait(1500);
        }
        if (figure < 0) continue;
        for (const [index, publisher] of publishers.entries())
          figures[index]?.push(((cpuOf(publisher) - (before[index] ?? 0)) * 1000) / CYCLES);
      }
      printMedians("a cycle with one receipt", "ms of CPU time", figures);
    } finally {
      for (const publisher of publishers) publisher.kill("SIGTERM");
      await Promise.all(publishers.map((publisher) => publisher.exitCode ?? once(publisher, "exit")));
    }
  });
}

function start({ program, folder }: Tree): ChildProcess {
  const settings = ["--installation-id", "wheel-1", "--genesis-timestamp", String(GENESIS), "--ledger", "ledger.db"];
  const args = [program, "publish", ...settings, "--store", "store", "--state", "state"];
  return spawn(process.execPath, args, {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder },
    stdio: "ignore",
  });
}

/** User plus system time so far, s (Linux). */
function cpuOf({ pid }: ChildProcess): number {
  const [, rest = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
  const fields = rest.split(" ").map(Number);
  return ((fields[11] ?? 0) + (fields[12] ?? 0)) / TICKS_PER_SECOND;
}
