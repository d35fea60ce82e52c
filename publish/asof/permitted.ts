/** What an answer may be built from beside what is published of it: nothing goes back, part by part. */
import type { SafeCoreState } from "../../src/chain/chain-state.ts";
import type { Asof } from "../../src/object-store/stored-answer.ts";
import type { Publication } from "../../src/resources/publication.ts";
import type { Snapshot } from "../../src/resources/snapshot.ts";
import { clockBehind, isAhead } from "../clock/instant.ts";
import type { PublishedObject } from "../state/published.ts";
import { chainBehind, isComparable, ledgerBehind } from "./behind.ts";
import { vectorOf } from "./vector.ts";

export interface PermittedSources {
  /** With the part that is behind as it was published. */
  readonly snapshot: Snapshot;
  readonly asof: Asof;
  /** The published object speaks of another installation, or of a history that was left behind. */
  readonly isOthers: boolean;
  /** The chain is being read for the first time: a good answer stays for as long as it is valid. */
  readonly isSettling: boolean;
}

export interface Judged {
  readonly published: PublishedObject | undefined;
  /** The history that the installation's facts are published under. */
  readonly history: string;
  /** The Core's state that is published, where the answer shows it. */
  readonly publishedCore: SafeCoreState | undefined;
}

/** `at` in epoch ms. Throws `Failure` ledger_behind, ledger_forked, chain_behind or clock_behind. */
export function permittedSources(
  publication: Publication,
  snapshot: Snapshot,
  at: number,
  { published, history, publishedCore }: Judged,
): PermittedSources {
  const { installationId = snapshot.installationId, kinds = [], usesChain = false } = publication;
  const isSettling = usesChain && snapshot.chain.isSettling;
  const now = vectorOf(snapshot, publication, at, history);
  const free = { snapshot, asof: now, isSettling, isOthers: false };
  if (published === undefined) return free;
  if (isAhead(published.asof.at, at)) throw clockBehind(published.key, published.asof.at, at);
  if (installationId === null) return free;
  if (!isComparable(published.asof, now)) return { ...free, isOthers: true, isSettling: false };
  const behindLedger = kinds.length === 0 ? undefined : ledgerBehind(published.asof, snapshot, installationId);
  if (behindLedger !== undefined) throw behindLedger;
  if (!usesChain || published.asof.safeBlock === undefined) return free;
  const behind = chainBehind(published.asof, now);
  if (behind === undefined && now.safeBlock !== undefined) return free;
  const kept = { ...free, asof: withChainOf(published.asof, now) };
  const lacksCore = behind !== undefined || (isSettling && snapshot.chain.safeCore === undefined);
  if (publication.publishedCore !== undefined && lacksCore) {
    if (publishedCore === undefined || snapshot.genesisTimestamp === undefined) {
      if (behind !== undefined) throw behind;
      return kept;
    }
    const chain = { ...snapshot.chain, safeCore: publishedCore };
    return { ...kept, snapshot: { ...snapshot, chain }, isSettling: false };
  }
  if (behind !== undefined) throw behind;
  return kept;
}

/** A view that the chain does not give now is still of the blocks that were published. */
function withChainOf({ safeBlock, safeHash, chain }: Asof, now: Asof): Asof {
  return { ...now, ...(safeBlock && { safeBlock }), ...(safeHash && { safeHash }), ...(chain && { chain }) };
}
