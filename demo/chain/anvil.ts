/**
 * Runs anvil, a local EVM node, on the loopback interface, directly from its npm package to avoid the wrapper process.
 * Uses the cancun fork and pruning, because with its defaults anvil writes gigabytes and slows down with every block.
 */
import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import type { Hex } from "viem";

/** Why anvil cannot run on this machine; undefined if it can. Tests use it as the reason of `test.skipIf`. */
export const NO_ANVIL = anvilBinary() === undefined ? "the anvil binary for this platform is not installed" : undefined;

/** Path of the anvil binary from its npm package or from PATH; undefined if there is none. */
export function anvilBinary(): string | undefined {
  return packagedAnvil() ?? anvilOnPath();
}

function anvilOnPath(): string | undefined {
  const directories = (process.env.PATH ?? "").split(delimiter).filter((directory) => directory !== "");
  return directories.map((directory) => join(directory, "anvil")).find((path) => existsSync(path));
}

function packagedAnvil(): string | undefined {
  const architecture = process.arch === "x64" ? "amd64" : process.arch;
  try {
    const require = createRequire(import.meta.url);
    const manifest = require.resolve(`@foundry-rs/anvil-${process.platform}-${architecture}/package.json`);
    const binary = join(dirname(manifest), "bin", "anvil");
    return existsSync(binary) ? binary : undefined;
  } catch {
    return undefined;
  }
}

/** Arguments for a pruned chain on a free loopback port. */
export function anvilArguments(extra: readonly string[]): string[] {
  // biome-ignore format: each flag next to its value
  return ["--host", "127.0.0.1", "--port", "0", "--hardfork", "cancun", "--prune-history", "1024", "--gas-limit", "300000000",
    ...extra];
}

/** The results of the methods whose results the demo reads. */
export interface RpcResults {
  readonly anvil_dumpState: Hex;
  readonly eth_accounts: readonly Hex[];
  readonly eth_getBlockByNumber: Readonly<Record<"number" | "timestamp", Hex>>;
  readonly eth_getLogs: readonly RawLog[];
  readonly eth_getTransactionReceipt: RawReceipt | null;
  readonly eth_sendTransaction: Hex;
}

/** A receipt as the node sends it. */
interface RawReceipt {
  readonly transactionHash: Hex;
  readonly blockNumber: Hex;
  readonly status: Hex;
  readonly contractAddress: Hex | null;
  readonly logs: readonly RawLog[];
}

/** A log as the node sends it. */
export interface RawLog {
  readonly address: Hex;
  readonly topics: readonly Hex[];
  readonly data: Hex;
  readonly blockNumber: Hex;
  readonly blockHash: Hex;
  readonly transactionHash: Hex;
  readonly transactionIndex: Hex;
  readonly logIndex: Hex;
}

/** One JSON-RPC call. It is never retried, because a repeated `anvil_mine` would mine twice. */
export async function call<Method extends keyof RpcResults>(
  url: string,
  method: Method,
  params?: readonly unknown[],
): Promise<RpcResults[Method]>;
export async function call(url: string, method: string, params?: readonly unknown[]): Promise<unknown>;
export async function call(url: string, method: string, params: readonly unknown[] = []): Promise<unknown> {
  return (await callAll(url, method, [params]))[0];
}

/** Calls one method several times, in one batch request. Returns the results in call order. */
export async function callAll(url: string, method: string, calls: readonly (readonly unknown[])[]): Promise<unknown[]> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(calls.map((params, id) => ({ jsonrpc: "2.0", id, method, params }))),
  });
  const replies = (await response.json()) as {
    id: number;
    result?: unknown;
    error?: { message: string; data?: unknown };
  }[];
  const results: unknown[] = [];
  for (const { id, result, error } of replies) {
    if (error !== undefined) throw new Error(`${method}: ${error.message} ${JSON.stringify(error.data ?? "")}`);
    results[id] = result;
  }
  return results;
}

/** Resolves with the port that anvil prints; rejects if anvil exits first. */
export function listeningPort(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let printed = "";
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`anvil exited with ${code}: ${printed}`)));
    child.stdout?.on("data", (chunk) => {
      if (printed.length > 10_000) return;
      printed += chunk;
      const match = /Listening on 127\.0\.0\.1:(\d+)/.exec(printed);
      if (match !== null) resolve(Number(match[1]));
    });
  });
}
