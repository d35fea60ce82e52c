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
 * `Failure` ledger_behind or ledger_forked unless the ledger contains the published log. Equal roots mean equal facts in
 * equal order.
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
  /** Nothing was published of it, or it contains the published block. */
  | { readonly kind: "continues" }
  /** It has no view, so there is nothing to compare. Its stored state may be older, or of another fork. */
  | { readonly kind: "no-view" }
  /** No node says the hash of the published block. */
  | { readonly kind: "silent" }
  | { readonly kind: "behind"; readonly failure: Failure };

/** The hash of this block must be asked for first. */
interface HashNeeded {
  readonly kind: "ask";
  readonly block: string;
}

/** `hashAt`: the chain's hash at a block; null if every node was silent, undefined if none was asked. */
export function checkChain(
  published: PublishedChain,
  { core, binding, safeCoreBlock }: Pick<ChainState, "core" | "binding" | "safeCoreBlock">,
  hashAt: (block: string) => string | null | undefined,
): ChainCheck | HashNeeded {
  if (published === null || binding === undefined || bindingHash(binding) !== published.binding) {
    return { kind: "continues" };
  }
  const { safeBlock: block, safeHash } = published;
  if (core.status === "unavailable") {
    const isPublished = String(safeCoreBlock?.number) === block && safeCoreBlock?.hash === safeHash;
    return { kind: isPublished ? "continues" : "no-view" };
  }
  const { safeThroughBlock, safeBlockHash } = core.view.chain;
  const ahead = safeThroughBlock - BigInt(block);
  if (ahead < 0n) return behind(`is safe through block ${safeThroughBlock}, block ${block} was published`);
  const hash = ahead === 0n ? safeBlockHash : hashAt(block);
  if (hash === undefined) return { kind: "ask", block };
  if (hash === null) return { kind: "silent" };
  return hash === safeHash ? { kind: "continues" } : behind(`has another block at ${block} than was published`);
}

function behind(what: string): ChainCheck {
  return { kind: "behind", failure: new Failure("chain_behind", `the chain ${what}`) };
}

/** A response is built from the chain, or from the Core's state in the head. `stays`: it is not built. */
type ChainUse = "chain" | "published-core" | "stays";

/** `process` shows the Core's last state also without a view (`keepsCore`). The views end with the view. */
const CHAIN_USES: Readonly<Record<ChainCheck["kind"], { readonly process: ChainUse; readonly view: ChainUse }>> = {
  continues: { process: "chain", view: "chain" },
  "no-view": { process: "published-core", view: "chain" },
  silent: { process: "published-core", view: "stays" },
  behind: { process: "published-core", view: "stays" },
};

export function chainUse({ kind }: ChainCheck, keepsCore: boolean): ChainUse {
  return CHAIN_USES[kind][keepsCore ? "process" : "view"];
}

/** The chain with the Core's state as it was published. */
export function withPublishedCore(chain: ChainState, published: PublishedChain): ChainState {
  return { ...chain, safeCore: publishedCore(published) };
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
