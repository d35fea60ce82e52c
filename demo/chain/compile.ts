/** Compiles test/contracts with solc (wasm) once for each state of the sources; the result is kept in node_modules/.cache. */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Abi, Hex } from "viem";

export interface Artifact {
  readonly abi: Abi;
  readonly bytecode: Hex;
}

export type ContractName =
  | "Factory"
  | "Core"
  | "CoreV2"
  | "Token"
  | "TokenFactory"
  | "Collection"
  | "Mining"
  | "Multicall"
  | "TimelockController"
  | "ProxyAdmin"
  | "TransparentUpgradeableProxy";

const require = createRequire(import.meta.url);
const CONTRACTS = new URL("../contracts/", import.meta.url).pathname;
const CACHE = new URL("../../node_modules/.cache/noonmark-contracts/", import.meta.url).pathname;
const SETTINGS = {
  evmVersion: "cancun",
  optimizer: { enabled: true, runs: 200 },
  outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } },
};

let loaded: Record<ContractName, Artifact> | undefined;

/** The artifact of a contract of test/contracts, or of OpenZeppelin's packages as imported there. */
export function artifact(name: ContractName): Artifact {
  loaded ??= load();
  return loaded[name];
}

function load(): Record<ContractName, Artifact> {
  const files = readdirSync(CONTRACTS).filter((file) => file.endsWith(".sol"));
  const sources = Object.fromEntries(
    files.sort().map((file) => [file, { content: readFileSync(join(CONTRACTS, file), "utf8") }]),
  );
  const versions = ["solc", "@openzeppelin/contracts"].map((name) => require(`${name}/package.json`).version);
  const key = createHash("sha256").update(JSON.stringify({ sources, SETTINGS, versions })).digest("hex").slice(0, 32);
  const path = join(CACHE, `${key}.json`);
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    // Not compiled yet.
  }
  const artifacts = compile(sources);
  mkdirSync(CACHE, { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, JSON.stringify(artifacts));
  renameSync(unfinished, path);
  return artifacts;
}

function compile(sources: Record<string, { content: string }>): Record<ContractName, Artifact> {
  const solc = require("solc");
  const input = { language: "Solidity", sources, settings: SETTINGS };
  const resolve = (path: string) => ({ contents: readFileSync(require.resolve(path), "utf8") });
  const output = JSON.parse(solc.compile(JSON.stringify(input), { import: resolve }));
  const errors = (output.errors ?? []).filter((error: { severity: string }) => error.severity === "error");
  if (errors.length > 0) throw new Error(errors[0].formattedMessage);
  const artifacts: Record<string, Artifact> = {};
  for (const contracts of Object.values<Record<string, { abi: Abi; evm: { bytecode: { object: string } } }>>(
    output.contracts,
  )) {
    for (const [name, contract] of Object.entries(contracts)) {
      artifacts[name] = { abi: contract.abi, bytecode: `0x${contract.evm.bytecode.object}` };
    }
  }
  return artifacts as Record<ContractName, Artifact>;
}
