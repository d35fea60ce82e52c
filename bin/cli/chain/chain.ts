/** Opens the settlement chain for `publish` and `render`, from the publisher's own file or a copy of it. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import { type Chain, noChain } from "../../../src/chain/chain.ts";
import { CHAIN_FILE } from "../../../src/chain/store/schema.ts";
import { sqliteFailure } from "../../../src/sqlite/sqlite-failure.ts";
import type { Settings } from "../settings/settings.ts";
import type { ChainUse, WithChain } from "./configured-chain.ts";

/** Opens the publisher's own file. Without a deployment file or an RPC address, the chain is disabled. */
export async function openChainFor(settings: Settings, use: ChainUse): Promise<Chain> {
  return hasChain(settings) ? open(settings, use) : noChain();
}

/** Opens a copy of the publisher's file, for commands that change nothing. */
export async function openChainCopy(settings: Settings, use: ChainUse): Promise<Chain> {
  if (!hasChain(settings)) return noChain();
  const folder = mkdtempSync(join(tmpdir(), "noonmark-chain-"));
  const statePath = join(folder, CHAIN_FILE);
  copyDatabase(join(settings.state, CHAIN_FILE), statePath);
  const chain = await open(settings, use, statePath);
  return {
    ...chain,
    close() {
      chain.close();
      rmSync(folder, { recursive: true });
    },
  };
}

export function hasChain(settings: Settings): settings is WithChain {
  return settings.deployment !== undefined && settings.rpcUrl !== undefined;
}

/** Loads the chain's modules only if a chain is configured. */
async function open(settings: WithChain, use: ChainUse, statePath?: string): Promise<Chain> {
  const { openConfiguredChain } = await import("./configured-chain.ts");
  return openConfiguredChain(settings, use, statePath);
}

function copyDatabase(from: string, to: string): void {
  if (!existsSync(from)) return;
  try {
    const source = new SqliteDatabase(from, { readonly: true });
    try {
      source.prepare("VACUUM INTO ?").run(to);
    } finally {
      source.close();
    }
  } catch (error) {
    throw sqliteFailure(error, from, "chain", "read");
  }
}
