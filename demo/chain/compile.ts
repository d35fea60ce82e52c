/**
 * Compiles the demo's contracts. A checkout compiles demo/contracts with solc (wasm) and caches the result by source
 * hash in node_modules/.cache. An installed package reads the artifacts that the build wrote.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Abi, Hex } from "viem";
import { packageFile } from "../../src/files/package-file.ts";

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
const CONTRACTS = packageFile("demo/contracts");
const CACHE = packageFile("node_modules/.cache/noonmark-contracts");
/** Artifacts that the build writes for the package. */
export const PACKED_CONTRACTS = packageFile("dist/contracts.json");
const SETTINGS = {
  evmVersion: "cancun",
  optimizer: { enabled: true, runs: 200 },
  outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } },
};

let loaded: Record<ContractName, Artifact> | undefined;

/** The artifact of a contract in demo/contracts, or of an OpenZeppelin contract imported there. */
export function artifact(name: ContractName): Artifact {
  const artifacts: Record<ContractName, Artifact> = loaded ?? readArtifacts();
  loaded = artifacts;
  return artifacts[name];
}

function readArtifacts(): Record<ContractName, Artifact> {
  return existsSync(CONTRACTS) ? compiledContracts() : JSON.parse(readFileSync(PACKED_CONTRACTS, "utf8"));
}

/** Compiles or reads the cache. Works only in a checkout. */
export function compiledContracts(): Record<ContractName, Artifact> {
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
    // Not in the cache.
  }
  const artifacts = compile(sources);
  mkdirSync(CACHE, { recursive: true });
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, JSON.stringify(artifacts));
  renameSync(temporary, path);
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
