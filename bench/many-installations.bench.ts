/**
 * What one publisher of 1, 1,000 and 10,000 installations costs: a cycle for one new receipt, the first publish, and
 * taking over with the state lost.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import SqliteDatabase, { type Database } from "better-sqlite3";
import type { Publisher } from "../publish/publisher.ts";
import { type KeepingStore, keepingStore } from "./support/stores/keeping-store.ts";
import { addReceipt, openMany, RECEIVED, writeManyInstallations } from "./support/publisher/many-installations.ts";
import { median } from "./support/quantile.ts";

const SIZES = [1, 1000, 10_000];
const CYCLES = 200;

interface Subject {
  readonly installations: number;
  readonly folder: string;
  readonly store: KeepingStore;
  readonly publisher: Publisher;
  readonly writer: Database;
  readonly cycles: number[];
  stop(): Promise<void>;
}

export async function run(): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "noonmark-bench-"));
  try {
    for (const size of SIZES) firstPublish(join(root, `first-${size}`), size);
    const subjects: Subject[] = [];
    for (const size of SIZES) subjects.push(await begin(join(root, String(size)), size));
    // In turn, so that all meet the same machine.
    for (let turn = 0; turn < CYCLES; turn++) for (const subject of subjects) await oneReceipt(subject, turn);
    const base = median(subjects[0]?.cycles ?? []);
    for (const subject of subjects) {
      const { installations, cycles, publisher, store } = subject;
      const cycle = median(cycles);
      console.log(`${installations} installations: one new receipt ${cycle.toFixed(2)} ms, ${(cycle / base).toFixed(2)} ×`);
      await publisher.release();
      console.log(`  status.json ${store.size("status.json")} bytes`);
      await subject.stop();
      await takeOver(subject);
    }
  } finally {
    rmSync(root, { recursive: true });
  }
}

function firstPublish(folder: string, installations: number): void {
  mkdirSync(folder);
  writeManyInstallations(join(folder, "ledger.db"), installations);
  const script = join(import.meta.dirname, "support/publisher/many-installations-process.ts");
  const text = execFileSync(process.execPath, [script, folder], { encoding: "utf8" });
  const { milliseconds, objects, megabytes, longestBlockMs } = JSON.parse(text) as Record<string, number>;
  const each = Number(milliseconds) / Number(objects);
  console.log(
    `${installations} installations, first publish: ${Number(milliseconds).toFixed(0)} ms, ${objects} puts, ${each.toFixed(3)} ms each, ` +
      `${megabytes} MB at most, event loop blocked for ${Number(longestBlockMs).toFixed(0)} ms at most`,
  );
}

async function begin(folder: string, installations: number): Promise<Subject> {
  mkdirSync(folder);
  writeManyInstallations(join(folder, "ledger.db"), installations);
  const store = keepingStore();
  const { publisher, stop } = await openMany(folder, "state", store);
  await publisher.cycle(RECEIVED + 1000);
  const writer = new SqliteDatabase(join(folder, "ledger.db"));
  return { installations, folder, store, publisher, writer, cycles: [], stop };
}

/** Of the configured installation, whose other answers are judged too. */
async function oneReceipt({ writer, publisher, cycles }: Subject, turn: number): Promise<void> {
  writer.transaction(() => addReceipt(writer, 1, turn + 2))();
  const started = performance.now();
  await publisher.cycle(RECEIVED + 1000);
  cycles.push(performance.now() - started);
}

async function takeOver({ folder, store, writer }: Subject): Promise<void> {
  writer.transaction(() => addReceipt(writer, 1, CYCLES + 2))();
  const before = store.asked.length;
  const { publisher, stop } = await openMany(folder, "lost", store);
  const started = performance.now();
  await publisher.cycle(RECEIVED + 1000);
  const milliseconds = performance.now() - started;
  const asked = store.asked.slice(before);
  console.log(
    `  taken over with the state lost: ${asked.indexOf("put")} requests before the first put, ${asked.length} in all, ${milliseconds.toFixed(0)} ms`,
  );
  await stop();
  writer.close();
}
