/**
 * The one check of the sources: they must continue the head, so that nothing that was published goes back
 * (docs/spec/publishing.md#nothing-goes-back).
 */
import { createHash } from "node:crypto";
import type { ChainBinding, ChainState, SafeCoreState } from "../../src/chain/chain-state.ts";
import { readStreamPosition } from "../../src/ledger/intake/stream-position.ts";
import { contains, type LogPoint, logSize } from "../../src/ledger/log.ts";
import type { Snapshot } from "../../src/resources/snapshot.ts";
import type { ReadOnlyDatabase } from "../../src/sqlite/statement.ts";
import { fromBigintJson, toBigintJson } from "../../src/values/decimal.ts";
import { Failure } from "../../src/values/failure.ts";
import type { Head } from "../head/head.ts";

/**
 * `Failure` ledger_behind or ledger_forked unless the ledger contains the published log. Equal roots mean equal facts in equal order.
 */
export function ledgerRegression(ledger: ReadOnlyDatabase | undefined, published: LogPoint): Failure | undefined {
  if (published.size === 0 || (ledger !== undefined && contains(ledger, published))) return undefined;
  const size = ledger === undefined ? 0 : logSize(ledger);
  const isShort = size < published.size;
  const log = `the log was published with ${published.size} entries`;
  const isFollowing = ledger !== undefined && readStreamPosition(ledger) !== undefined;
  return isShort
    ? new Failure("ledger_behind", `${log}, and the ledger has ${size}`, {
        hint: isFollowing
          ? "The stream has the missing facts. See whether its intake runs, and what it reports."
          : undefined,
      })
    : new Failure("ledger_forked", `${log}, and the ledger has other facts among these`);
}

type PublishedChain = Head["chain"];

/** How the chain continues the published one. */
export type ChainCheck =
  /** Nothing was published of it, or it has the published block. */
  | { readonly kind: "continues" }
  /** It has no view, so there is nothing to compare. */
  | { readonly kind: "no-view" }
  /** The hash of this block must be asked for. */
  | { readonly kind: "ask"; readonly block: string }
  /** No node says the hash. */
  | { readonly kind: "silent" }
  | { readonly kind: "behind"; readonly failure: Failure };

/** `hashAt`: the chain's hash at a block; null if every node was silent, undefined if none was asked. */
export function checkChain(
  published: PublishedChain,
  { core, binding }: Pick<ChainState, "core" | "binding">,
  hashAt: (block: string) => string | null | undefined,
): ChainCheck {
  if (published === null || binding === undefined || bindingHash(binding) !== published.binding) {
    return { kind: "continues" };
  }
  if (core.status === "unavailable") return { kind: "no-view" };
  const { safeThroughBlock, safeBlockHash } = core.view.chain;
  const block = published.safeBlock;
  const ahead = safeThroughBlock - BigInt(block);
  if (ahead < 0n) return behind(`is safe through block ${safeThroughBlock}, block ${block} was published`);
  const hash = ahead === 0n ? safeBlockHash : hashAt(block);
  if (hash === undefined) return { kind: "ask", block };
  if (hash === null) return { kind: "silent" };
  return hash === published.safeHash
    ? { kind: "continues" }
    : behind(`has another block at ${block} than was published`);
}

function behind(what: string): ChainCheck {
  return { kind: "behind", failure: new Failure("chain_behind", `the chain ${what}`) };
}

/** What a response that uses the chain may be built from; undefined: it stays as it is. */
export function permittedChain(
  chain: ChainState,
  published: PublishedChain,
  check: ChainCheck,
  { keepsCore = false }: { readonly keepsCore?: boolean },
): Pick<Snapshot, "chain"> | undefined {
  if (check.kind === "continues") return { chain };
  const isComparable = check.kind === "no-view";
  if (!keepsCore) return isComparable ? { chain } : undefined;
  // The stored state of the chain may be older than the published one, or of another fork.
  const isProven =
    isComparable &&
    chain.safeCoreBlock !== undefined &&
    String(chain.safeCoreBlock.number) === published?.safeBlock &&
    chain.safeCoreBlock.hash === published.safeHash;
  if (isProven) return { chain };
  return { chain: { ...chain, safeCore: publishedCore(published) } };
}

function publishedCore(published: PublishedChain): SafeCoreState | undefined {
  // The publisher wrote it from a value of this type.
  return published?.core == null ? undefined : (fromBigintJson(published.core) as SafeCoreState);
}

/** The chain in the next head. The published one stays while there is no newer view. */
export function nextChain(
  published: PublishedChain,
  { chain, genesisTimestamp }: Snapshot,
  check: ChainCheck,
): PublishedChain {
  const { core, binding, safeCore } = chain;
  if (check.kind !== "continues" || binding === undefined || core.status === "unavailable") return published;
  const { safeThroughBlock, safeBlockHash } = core.view.chain;
  return {
    binding: bindingHash(binding),
    safeBlock: String(safeThroughBlock),
    safeHash: safeBlockHash,
    core: safeCore === undefined ? null : toBigintJson(safeCore),
    genesisTimestamp: genesisTimestamp === undefined ? null : String(genesisTimestamp),
  };
}

/** Returns 64 bits of the SHA-256 of a deployment, in base64url. */
export function bindingHash({ target, chainId, core, deploymentBlock }: ChainBinding): string {
  const text = JSON.stringify([target, String(chainId), core, String(deploymentBlock)]);
  return createHash("sha256").update(text).digest().subarray(0, 8).toString("base64url");
}
