/**
 * Opens the configured sources: for `publish` its own files, for `render` and `status` copies, so that they change
 * nothing.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import { LedgerSource } from "../../publish/sources/ledger-source.ts";
import { copiedProjections, ownProjections } from "../../publish/sources/projections-source.ts";
import { SourceReader } from "../../publish/sources/source-reader.ts";
import { type Chain, noChain } from "../../src/chain/chain.ts";
import type { PollEvent } from "../../src/chain/poll-event.ts";
import type { RpcOutcome } from "../../src/chain/rpc/rpc-node.ts";
import { CHAIN_FILE } from "../../src/chain/store/schema.ts";
import { sqliteFailure } from "../../src/sqlite/sqlite-failure.ts";
import { Failure } from "../../src/values/failure.ts";
import { required } from "./settings/load-settings.ts";
import type { Settings } from "./settings/settings.ts";

export interface ChainUse {
  /** Epoch ms; for `--at`, a clock that was set to that instant at the start (`instantClock`). */
  readonly now: () => number;
  readonly onEvent?: (event: PollEvent) => void;
  /** Called for each HTTP request to a node. */
  readonly onRequest?: (outcome: RpcOutcome) => void;
}

export interface SourceUse extends ChainUse {
  /** `copy` does not change the state directory. */
  readonly state: "own" | "copy";
  /** True to read all new facts before the first response, instead of one step per cycle. */
  readonly whole: boolean;
}

export interface OpenedSources {
  readonly reader: SourceReader;
  readonly chain: Chain;
}

export async function openSources(settings: Settings, use: SourceUse): Promise<OpenedSources> {
  const installationId = required(settings, "installationId");
  const own = use.state === "own";
  const ledger = settings.ledger === "none" ? undefined : new LedgerSource(settings.ledger);
  const projections = own ? ownProjections(settings.state, use) : copiedProjections(settings.state);
  const chain = await (own ? openOwnChain(settings, use) : openChainCopy(settings, use));
  const { genesisTimestamp } = settings;
  return { chain, reader: new SourceReader({ installationId, ledger, projections, chain, genesisTimestamp }) };
}

/** Returns the wall clock, or a clock that starts at `at` when it is created. */
export function instantClock(at: number | undefined): () => number {
  if (at === undefined) return () => Date.now();
  const started = performance.now();
  return () => at + Math.floor(performance.now() - started);
}

/** Settings of a publisher with a chain. */
type WithChain = Settings & { readonly deployment: string; readonly rpcUrl: string };

export function hasChain(settings: Settings): settings is WithChain {
  return settings.deployment !== undefined && settings.rpcUrl !== undefined;
}

/** Without a deployment file or an RPC address, the chain is disabled. */
async function openOwnChain(settings: Settings, use: ChainUse): Promise<Chain> {
  return hasChain(settings) ? openChain(settings, use, join(settings.state, CHAIN_FILE)) : noChain();
}

export async function openChainCopy(settings: Settings, use: ChainUse): Promise<Chain> {
  if (!hasChain(settings)) return noChain();
  const folder = mkdtempSync(join(tmpdir(), "noonmark-chain-"));
  const path = join(folder, CHAIN_FILE);
  copyDatabase(join(settings.state, CHAIN_FILE), path);
  const chain = await openChain(settings, use, path);
  return {
    ...chain,
    close() {
      chain.close();
      rmSync(folder, { recursive: true });
    },
  };
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

/**
 * Time without a good pass before the chain's views are unavailable. It covers about three passes, so that one silent
 * node or one slow request takes nothing from readers.
 */
const CHAIN_GRACE_MS = 15_000;

/** Loads the chain's modules, and viem, only if a chain is configured. Throws `Failure`. */
async function openChain(
  settings: WithChain,
  { now, onEvent, onRequest }: ChainUse,
  statePath: string,
): Promise<Chain> {
  const open = await import("../../src/chain/open-chain.ts");
  const { readDeployment } = await import("../../src/chain/deployment.ts");
  const rpcUrls = settings.rpcUrl.split(",").map((address) => address.trim());
  const genesis = settings.genesisTimestamp;
  return open.openChain({
    deployment: readDeployment(settings.deployment),
    rpcUrls,
    rpcQuorum: quorumOf(settings, rpcUrls.length),
    statePath,
    grace: CHAIN_GRACE_MS,
    validity: settings.chainMaxAge * 1000,
    now,
    genesisTimestamp: genesis === undefined ? undefined : BigInt(genesis),
    ...(onEvent === undefined ? {} : { onEvent }),
    onRequest,
  });
}

/** Throws `Failure` if the quorum exceeds the number of nodes. */
function quorumOf({ rpcQuorum }: WithChain, nodes: number): number {
  if (rpcQuorum <= nodes) return rpcQuorum;
  const addresses = nodes === 1 ? "1 address" : `${nodes} addresses`;
  throw new Failure("invalid_setting", `rpcQuorum ${rpcQuorum} is more than the ${addresses} of rpcUrl`, {
    hint: "Name more nodes in rpcUrl, separated by commas, or lower rpcQuorum (docs/nodes.md#quorum).",
  });
}
