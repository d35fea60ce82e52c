/**
 * Measures statistics: one 30-day body, and a cycle over ten years of rounds against one over thirty days.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import SqliteDatabase, { type Database } from "better-sqlite3";
import { advanceLedgerViews } from "../../../src/projections/advance.ts";
import { openProjections } from "../../../src/projections/open.ts";
import { buildStatistics } from "../../../src/resources/statistics/build.ts";
import { readStatisticsFacts } from "../../../src/resources/statistics/facts.ts";
import { appendRound, LEDGER_END, LEDGER_GENESIS, TEN_YEARS, writeLargeLedger } from "../support/large-ledger.ts";

const CYCLES = 300;
const ROUND_MS = 600_000;

export async function run(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "noonmark-bench-"));
  try {
    compareCycles(directory);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

interface Publisher {
  readonly ledger: Database;
  readonly projections: Database;
}

function compareCycles(directory: string): void {
  const month = publisher(join(directory, "month"), 4320);
  const decade = publisher(join(directory, "decade"), TEN_YEARS);
  const times = { month: [] as number[], decade: [] as number[], body: [] as number[] };
  for (let iteration = 0; iteration < CYCLES; iteration += 1) {
    const at = LEDGER_END + (iteration + 1) * ROUND_MS;
    for (const [name, { ledger, projections }] of [["month", month] as const, ["decade", decade] as const]) {
      appendRound(ledger, TEN_YEARS + iteration);
      const started = performance.now();
      advanceLedgerViews(projections, { ledger, installationId: "wheel-1", genesis: LEDGER_GENESIS, at });
      const advancedAt = performance.now();
      for (const range of ["7d", "30d"] as const) {
        const bodyStarted = performance.now();
        const options = { installationId: "wheel-1", genesis: LEDGER_GENESIS, range, at };
        const { status } = buildStatistics(readStatisticsFacts(ledger, projections, options), range, at);
        if (status !== 200) throw new Error(`status ${status}`);
        if (range === "30d" && name === "decade") times.body.push(performance.now() - bodyStarted);
      }
      times[name].push(performance.now() - started);
      if (advancedAt - started > 1000) throw new Error("one projection step took more than 1 s");
    }
  }
  const ratio = median(times.decade) / median(times.month);
  console.log(
    `statistics: a 30d body in ${median(times.body).toFixed(2)} ms (median of ${CYCLES}, p90 ${p90(times.body).toFixed(2)}); ` +
      `a cycle with ten years of rounds is ${ratio.toFixed(2)} × one with thirty days ` +
      `(${median(times.decade).toFixed(2)} to ${median(times.month).toFixed(2)} ms: one round projected, both ranges built)`,
  );
  for (const { ledger, projections } of [month, decade]) {
    ledger.close();
    projections.close();
  }
}

function publisher(path: string, rounds: number): Publisher {
  writeLargeLedger(`${path}.ledger.db`, { receipts: 1000, rounds });
  const ledger = new SqliteDatabase(`${path}.ledger.db`);
  ledger.pragma("synchronous = OFF");
  const projections = openProjections(`${path}.projections.db`);
  while (
    advanceLedgerViews(projections, { ledger, installationId: "wheel-1", genesis: LEDGER_GENESIS, at: LEDGER_END })
  );
  return { ledger, projections };
}

function median(values: readonly number[]): number {
  return rank(values, 0.5);
}

function p90(values: readonly number[]): number {
  return rank(values, 0.9);
}

function rank(values: readonly number[], p: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * p) - 1] ?? Number.NaN;
}
