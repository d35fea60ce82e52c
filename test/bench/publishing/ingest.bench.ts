/**
 * Measures rows per second of `noonmark ingest` against `sqlite3 .import` of the same receipts into the same table and
 * indexes. The import validates nothing. Separate processes run alternately; the goal is 40,000 rows a second.
 * Also measures ingest's peak resident memory for one and four times the input; it must stay flat and under 200 MB.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { LEDGER_SCHEMA } from "../../../src/ledger/schema.ts";
import { writeReceipts } from "../support/receipts-file.ts";

const ROWS = 250_000;
const RUNS = 5;
/** The built program. Running from source would add type stripping to each start. */
const PROGRAM = join(import.meta.dirname, "../../../bin/noonmark.js");
const PEAK_MEMORY = new URL("../support/peak-memory.ts", import.meta.url).href;

export async function run(): Promise<void> {
  if (!existsSync(join(import.meta.dirname, "../../dist/noonmark.js"))) throw new Error("run `npm run build` first");
  const directory = mkdtempSync(join(tmpdir(), "noonmark-bench-"));
  const at = (name: string) => join(directory, name);
  try {
    await writeReceipts(ROWS, at("receipts.ndjson"), at("receipts.csv"));
    const runs: { ingest: number; peer: number; megabytes: number }[] = [];
    for (let iteration = 0; iteration < RUNS; iteration++) {
      const peer = importWithSqlite(directory);
      const { seconds, megabytes } = await ingest(directory, "receipts.ndjson", ROWS);
      runs.push({ ingest: seconds, peer, megabytes });
    }
    const ratio = median(runs.map(({ ingest, peer }) => peer / ingest));
    const rate = (seconds: number[]) => Math.round(ROWS / median(seconds)).toLocaleString("en");
    console.log(
      `ingest: ${ratio.toFixed(2)} × the rows per second of sqlite3 .import (${rate(runs.map(({ ingest }) => ingest))} to ` +
        `${rate(runs.map(({ peer }) => peer))}; ${ROWS.toLocaleString("en")} receipts, ${RUNS} runs, including start-up)`,
    );
    await writeReceipts(4 * ROWS, at("four.ndjson"), at("four.csv"));
    const four = await ingest(directory, "four.ndjson", 4 * ROWS);
    const size = (name: string) => Math.round(statSync(at(name)).size / 1e6);
    console.log(
      `ingest: ${median(runs.map(({ megabytes }) => megabytes)).toFixed(0)} MB peak resident memory for ${size("receipts.ndjson")} MB of input, ` +
        `${four.megabytes.toFixed(0)} MB for ${size("four.ndjson")} MB (${Math.round((4 * ROWS) / four.seconds).toLocaleString("en")} rows per second)`,
    );
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Returns the seconds that `sqlite3 .import` takes. */
function importWithSqlite(directory: string): number {
  const path = join(directory, "peer.db");
  sqlite3(path, LEDGER_SCHEMA);
  const start = performance.now();
  sqlite3(path, `.import --csv ${join(directory, "receipts.csv")} receipt\n`);
  const seconds = (performance.now() - start) / 1000;
  const rows = sqlite3(path, "SELECT count(*) FROM receipt;");
  if (Number(rows) !== ROWS) throw new Error(`sqlite3 imported ${rows} rows`);
  rmSync(path);
  return seconds;
}

function sqlite3(path: string, input: string): string {
  const { error, status, stdout, stderr } = spawnSync("sqlite3", ["-batch", path], { input, encoding: "utf8" });
  if (error !== undefined)
    throw new Error("this bench needs the sqlite3 command (Debian: apt-get install sqlite3)", { cause: error });
  if (status !== 0 || stderr !== "") throw new Error(`sqlite3: ${stderr}`);
  return stdout;
}

async function ingest(directory: string, file: string, rows: number): Promise<{ seconds: number; megabytes: number }> {
  const ledger = join(directory, "ledger.db");
  const start = performance.now();
  const child = spawn(process.execPath, ["--import", PEAK_MEMORY, PROGRAM, "ingest", file, "--ledger", ledger], {
    cwd: directory,
    stdio: ["ignore", "pipe", "inherit", "pipe"],
  });
  const [counts, kilobytes] = await Promise.all([textOf(child.stdio[1]), textOf(child.stdio[3]), once(child, "close")]);
  const seconds = (performance.now() - start) / 1000;
  if (!counts.startsWith(`${rows} accepted, 0 duplicate, 0 rejected; `)) throw new Error(`ingest printed ${counts}`);
  for (const suffix of ["", "-wal", "-shm"]) rmSync(ledger + suffix, { force: true });
  return { seconds, megabytes: Number(kilobytes) / 1024 };
}

function textOf(stream: unknown): Promise<string> {
  return text(stream as NodeJS.ReadableStream);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
