/**
 * Measures the CPU time of a cold process: `--version`, `--help`, `completion`, and `publish --once` with and without a
 * chain. NOONTEST_BENCH_BESIDE names another built checkout to alternate with this one.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { stage } from "../../support/chain/harness.ts";
import { median } from "../support/quantile.ts";

const RUNS = Number(process.env.NOONMARK_BENCH_TURNS ?? 15);
/** Runs that are not counted: they create files and fill compile caches. */
const WARM_UP = 2;
/** The start of round 0 of the facts that `ingest --example` prints. */
const GENESIS = Date.UTC(2026, 0, 1) / 1000;
const FACTS = ["receipt", "epoch", "module", "round", "closure", "oracle"];

interface Subject {
  readonly name: string;
  readonly program: string;
  readonly folder: string;
}

export async function run(): Promise<void> {
  const baseline = process.env.NOONTEST_BENCH_BESIDE;
  const root = mkdtempSync(join(tmpdir(), "noonmark-bench-"));
  await using chain = await stage({ genesisTimestamp: GENESIS });
  try {
    const checkouts = { ...(baseline === undefined ? {} : { baseline }), here: join(import.meta.dirname, "../../..") };
    const subjects = Object.entries(checkouts).map(([name, checkout]): Subject => {
      const folder = mkdtempSync(join(root, name));
      return { name, program: join(checkout, "bin/noonmark.js"), folder };
    });
    writeFileSync(join(root, "deployment.json"), JSON.stringify(chain.world.deployment));
    for (const subject of subjects) ingestFacts(subject);
    const chainFlags = ["--rpc-url", chain.anvil.url, "--deployment", join(root, "deployment.json")];
    const commands: Record<string, readonly string[]> = {
      "--version": ["--version"],
      "--help": ["--help"],
      "completion bash": ["completion", "bash"],
      "publish --once": once("plain"),
      "publish --once with a chain": [...once("chain"), ...chainFlags],
    };
    for (const [name, args] of Object.entries(commands)) {
      const seconds = compare(subjects, args);
      const [before, here] = subjects.length === 1 ? [undefined, seconds[0]] : seconds;
      const ratio = before === undefined ? "" : `, ${((here ?? 0) / before).toFixed(2)} × ${before.toFixed(3)} s`;
      console.log(`${name}: ${here?.toFixed(3)} s of CPU time${ratio} (load ${loadavg()[0]?.toFixed(1)})`);
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function once(name: string): readonly string[] {
  const settings = {
    "installation-id": "wheel-1",
    "genesis-timestamp": String(GENESIS),
    ledger: "ledger.db",
    store: `${name}-store`,
    state: `${name}-state`,
  };
  const flags = Object.entries(settings).flatMap(([flag, value]) => [`--${flag}`, value]);
  return ["publish", "--once", ...flags];
}

function ingestFacts(subject: Subject): void {
  const lines = FACTS.map((kind) => cpuTime(subject, ["ingest", "--example", kind]).output);
  writeFileSync(join(subject.folder, "facts.ndjson"), lines.join(""));
  cpuTime(subject, ["ingest", "facts.ndjson", "--ledger", "ledger.db"]);
}

/** Median CPU seconds of each subject. Runs alternate so that all see the same machine load. */
function compare(subjects: readonly Subject[], args: readonly string[]): number[] {
  const times = subjects.map((): number[] => []);
  for (let iteration = 0; iteration < WARM_UP + RUNS; iteration++) {
    for (const [index, subject] of subjects.entries()) {
      const { seconds } = cpuTime(subject, args);
      if (iteration >= WARM_UP) times[index]?.push(seconds);
    }
  }
  return times.map(median);
}

/** Runs the program and returns its output and its user plus system time in seconds. */
function cpuTime({ program, folder, name }: Subject, args: readonly string[]) {
  const script = `TIMEFORMAT='%U %S'; time "$@"`;
  const { status, stdout, stderr } = spawnSync("bash", ["-c", script, "bash", process.execPath, program, ...args], {
    cwd: folder,
    encoding: "utf8",
    env: { PATH: process.env.PATH, HOME: folder },
  });
  if (status !== 0) throw new Error(`${name}: noonmark ${args.join(" ")} ended with ${status}:\n${stderr}`);
  const [user = 0, system = 0] = stderr.trim().split("\n").at(-1)?.split(" ").map(Number) ?? [];
  return { output: stdout, seconds: user + system };
}
