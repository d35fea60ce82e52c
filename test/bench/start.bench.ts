/** CPU time of a cold process: `--version`, `--help`, and `publish --once` with and without a chain. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { stage } from "../support/chain/harness.ts";
import { GENESIS, printMedians, run as runTree, withTrees } from "./trees.ts";

const RUNS = 9;
/** Runs that are not counted: they create files. */
const WARM_UP = 2;
const FACTS = ["receipt", "epoch", "module", "round", "closure", "oracle"];

export async function run(): Promise<void> {
  await using chain = await stage({ genesisTimestamp: GENESIS });
  await withTrees(async (trees, folder) => {
    const deployment = join(folder, "deployment.json");
    writeFileSync(deployment, JSON.stringify(chain.world.deployment));
    for (const tree of trees) {
      const lines = FACTS.map((kind) => runTree(tree, ["ingest", "--example", kind]).output);
      runTree(tree, ["ingest", "-", "--ledger", "ledger.db"], lines.join(""));
    }
    const commands: Record<string, readonly string[]> = {
      "--version": ["--version"],
      "--help": ["--help"],
      "publish --once": once("plain"),
      "publish --once with a chain": [...once("chain"), "--rpc-url", chain.anvil.url, "--deployment", deployment],
    };
    for (const [name, args] of Object.entries(commands)) {
      const seconds = trees.map((): number[] => []);
      for (let turn = -WARM_UP; turn < RUNS; turn++) {
        for (const [index, tree] of trees.entries()) {
          const { cpu } = runTree(tree, args);
          if (turn >= 0) seconds[index]?.push(cpu);
        }
      }
      printMedians(name, "s of CPU time", seconds);
    }
    printMedians("node -e 0", "s of CPU time", [Array.from({ length: RUNS }, nodeAlone)]);
  });
}

function nodeAlone(): number {
  const script = `TIMEFORMAT='%U %S'; time "$0" -e 0`;
  const { stderr } = spawnSync("bash", ["-c", script, process.execPath], { encoding: "utf8" });
  const [user = 0, system = 0] = stderr.trim().split(" ").map(Number);
  return user + system;
}

function once(name: string): readonly string[] {
  const settings = {
    "installation-id": "wheel-1",
    "genesis-timestamp": String(GENESIS),
    ledger: "ledger.db",
    store: `${name}-store`,
    state: `${name}-state`,
  };
  return ["publish", "--once", ...Object.entries(settings).flatMap(([flag, value]) => [`--${flag}`, value])];
}
