/**
 * The program of this checkout, and of another built one that NOONTEST_BENCH_BESIDE names: a git worktree of an earlier
 * commit. Their runs alternate, so that both see the same load of the machine.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setup as build } from "../support/build.ts";

export interface Tree {
  readonly name: string;
  readonly program: string;
  /** An empty folder to run commands in. */
  readonly folder: string;
}

/** The start of round 0 of the facts that `ingest --example` prints, in seconds. */
export const GENESIS = Date.UTC(2026, 0, 1) / 1000;

/** Runs a bench with this tree, and with the other one first if there is one. Deletes their folders afterwards. */
export async function withTrees(bench: (trees: readonly Tree[], folder: string) => Promise<void>): Promise<void> {
  build();
  const folder = mkdtempSync(join(tmpdir(), "noonmark-bench-"));
  const beside = process.env.NOONTEST_BENCH_BESIDE;
  const checkouts = { ...(beside === undefined ? {} : { beside }), here: join(import.meta.dirname, "../..") };
  const trees = Object.entries(checkouts).map(([name, checkout]): Tree => {
    if (!existsSync(join(checkout, "dist"))) throw new Error(`${checkout} is not built: run npm ci there`);
    return { name, program: join(checkout, "bin/noonmark.js"), folder: mkdtempSync(join(folder, `${name}-`)) };
  });
  try {
    await bench(trees, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export interface Ended {
  readonly output: string;
  /** User plus system time, s. */
  readonly cpu: number;
  /** Wall clock, s. */
  readonly wall: number;
}

/** Runs a command line of the tree. Throws if it fails. */
export function run({ program, folder, name }: Tree, args: readonly string[], input = ""): Ended {
  const script = `TIMEFORMAT='%U %S'; time "$@"`;
  const started = performance.now();
  const { status, stdout, stderr } = spawnSync("bash", ["-c", script, "bash", process.execPath, program, ...args], {
    cwd: folder,
    encoding: "utf8",
    input,
    env: { PATH: process.env.PATH, HOME: folder },
  });
  if (status !== 0) throw new Error(`${name}: noonmark ${args.join(" ")} ended with ${status}:\n${stderr}`);
  const [user = 0, system = 0] = stderr.trim().split("\n").at(-1)?.split(" ").map(Number) ?? [];
  return { output: stdout, cpu: user + system, wall: (performance.now() - started) / 1000 };
}

/** Prints the median of this tree, and its ratio to the other tree's. `figures` are in the order of the trees. */
export function printMedians(what: string, unit: string, figures: readonly (readonly number[])[]): void {
  const medians = figures.map(median);
  const [beside, here = beside] = medians;
  const ratio = medians.length === 1 ? "" : `, ${((here ?? 0) / (beside ?? 0)).toFixed(2)} × ${beside?.toPrecision(3)}`;
  console.log(`${what}: ${here?.toPrecision(3)} ${unit}${ratio} (load ${loadavg()[0]?.toFixed(1)})`);
}

export function median(figures: readonly number[]): number {
  return figures.toSorted((a, b) => a - b)[Math.ceil(figures.length / 2) - 1] ?? Number.NaN;
}

/** Lines of NDJSON with this many receipts, the last of them received at `end` (epoch ms), one every three seconds. */
export function receiptLines(count: number, end: number, from = 1): string {
  const lines: string[] = [];
  for (let sequence = from; sequence < from + count; sequence++) {
    const observedAt = end - (from + count - 1 - sequence) * 3000 - 250;
    const record = {
      type: "receipt",
      installationId: "wheel-1",
      telemetryId: crypto.randomUUID(),
      bootId: "3f1c2b6e-0d5a-4f5e-9a57-8d1f6a2c4b10",
      counterEpoch: "7a9d0c3e-52b1-4c8f-b6de-1e9f7c5a3d24",
      sequence,
      observedAt: new Date(observedAt).toISOString(),
      receivedAt: new Date(observedAt + 250).toISOString(),
      cumulativeWorkUnits: String(sequence * 4),
      provenance: "hardware",
      softwareVersion: "1.4.2",
      coreStatus: "ACTIVE",
      rpmMilli: 43_000,
      speedMmPerSecond: 612,
      distanceMm: sequence * 350,
    };
    lines.push(`${JSON.stringify(record)}\n`);
  }
  return lines.join("");
}
