/** Opens the settlement chain that the settings name. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import { type ChainSource, noChain } from "../../../publish/sources/chain-source.ts";
import type { PollEvent } from "../../../src/chain/sync/poll-event.ts";
import { CHAIN_FILE } from "../../../src/chain/sync/schema.ts";
import type { Settings } from "../settings.ts";

export interface ChainUse {
  /** Epoch ms; for `--at` a clock that was set to that instant when the command began. */
  now(): number;
  onEvent?(event: PollEvent): void;
}

/** The publisher's own file; without a deployment file or an RPC address, a chain that says so. */
export async function openChainFor(settings: Settings, use: ChainUse): Promise<ChainSource> {
  if (!isConfigured(settings)) return noChain();
  return openAt(settings, join(settings.state, CHAIN_FILE), use);
}

/** A copy of it, for what leaves no trace. */
export async function openChainCopy(settings: Settings, use: ChainUse): Promise<ChainSource> {
  if (!isConfigured(settings)) return noChain();
  const folder = mkdtempSync(join(tmpdir(), "noonmark-chain-"));
  const path = join(folder, CHAIN_FILE);
  copyDatabase(join(settings.state, CHAIN_FILE), path);
  const source = await openAt(settings, path, use);
  return {
    ...source,
    close() {
      source.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** For JSON: blocks as decimal strings. */
export function plainEvent(event: PollEvent): Record<string, unknown> {
  const plain = (value: unknown) => (typeof value === "bigint" ? String(value) : value);
  return Object.fromEntries(Object.entries(event).map(([name, value]) => [name, plain(value)]));
}

type WithChain = Settings & { readonly deployment: string; readonly rpcUrl: string };

function isConfigured(settings: Settings): settings is WithChain {
  return settings.deployment !== undefined && settings.rpcUrl !== undefined;
}

async function openAt(settings: WithChain, statePath: string, use: ChainUse): Promise<ChainSource> {
  const { deployment, rpcUrl, chainGrace, chainWord, genesisTimestamp } = settings;
  // Only who names a chain loads what reads one: it is 0.2 s of every cold start.
  const [{ openChain }, { readDeployment }, { rpcAddresses }] = await Promise.all([
    import("../../../src/chain/open-chain.ts"),
    import("../../../src/chain/deployment.ts"),
    import("./configured-chain.ts"),
  ]);
  let last: PollEvent | undefined;
  const chain = openChain({
    deployment: readDeployment(deployment),
    rpcUrls: rpcAddresses(rpcUrl),
    statePath,
    grace: chainGrace * 1000,
    word: chainWord * 1000,
    now: () => use.now(),
    ...(genesisTimestamp === undefined ? {} : { genesisTimestamp: BigInt(genesisTimestamp) }),
    onEvent: (event) => {
      last = event;
      use.onEvent?.(event);
    },
  });
  return {
    db: chain.db,
    moved: () => chain.moved(),
    state: (now) => chain.state(now),
    nextChange: (now) => chain.nextChange(now),
    poll: (now, deadline) => chain.poll(now, deadline),
    settled: () => chain.settled(),
    describe: () => (last === undefined ? "no pass yet" : plainEvent(last)),
    close: () => chain.close(),
  };
}

function copyDatabase(from: string, to: string): void {
  if (!existsSync(from)) return;
  const source = new SqliteDatabase(from, { readonly: true });
  try {
    source.prepare("VACUUM INTO ?").run(to);
  } finally {
    source.close();
  }
}
