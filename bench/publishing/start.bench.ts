/**
 * The processor time of a cold process: `--version`, `--help`, `completion`, and `publish --once` without and with a
 * chain. NOONMARK_BENCH_BESIDE names another built checkout, which then runs in turn with this one.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { stage } from "../../test/support/chain/harness.ts";
import { median } from "../support/quantile.ts";

const TURNS = Number(process.env.NOONMARK_BENCH_TURNS ?? 15);
/** Not counted: what the first runs write, and what they compile. */
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
  const beside = process.env.NOONMARK_BENCH_BESIDE;
  const root = mkdtempSync(join(tmpdir(), "noonmark-bench-"));
  await using chain = await stage({ genesisTimestamp: GENESIS });
  try {
    const checkouts = { ...(beside === undefined ? {} : { beside }), here: join(import.meta.dirname, "../..") };
    const subjects = Object.entries(checkouts).map(([name, checkout]): Subject => {
      const folder = mkdtempSync(join(root, name));
      return { name, program: join(checkout, "bin/noonmark.js"), folder };
    });
    writeFileSync(join(root, "deployment.json"), JSON.stringify(chain.world.deployment));
    for (const subject of subjects) takeFacts(subject);
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
      const [other, own] = subjects.length === 1 ? [undefined, seconds[0]] : seconds;
      const ratio = other === undefined ? "" : `, ${((own ?? 0) / other).toFixed(2)} x of ${other.toFixed(3)} s`;
      console.log(`${name}: ${own?.toFixed(3)} s of processor time${ratio} (load ${loadavg()[0]?.toFixed(1)})`);
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

function takeFacts(subject: Subject): void {
  const lines = FACTS.map((kind) => processorTime(subject, ["ingest", "--example", kind]).output);
  writeFileSync(join(subject.folder, "facts.ndjson"), lines.join(""));
  processorTime(subject, ["ingest", "facts.ndjson", "--ledger", "ledger.db"]);
}

/** The median of each subject, in seconds; in turn, so that all meet the same machine. */
function compare(subjects: readonly Subject[], args: readonly string[]): number[] {
  const times = subjects.map((): number[] => []);
  for (let turn = 0; turn < WARM_UP + TURNS; turn++) {
    for (const [index, subject] of subjects.entries()) {
      const { seconds } = processorTime(subject, args);
      if (turn >= WARM_UP) times[index]?.push(seconds);
    }
  }
  return times.map(median);
}

/** User and system time of one run, in seconds. */
function processorTime({ program, folder, name }: Subject, args: readonly string[]) {
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
