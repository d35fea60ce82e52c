/**
 * Chooses the sources from which one response may be built, so that no part of it goes back. They are the current facts and
 * chain. If the chain is refused or no node responds, the published chain state replaces the chain.
 */

import type { SafeCoreState } from "../../src/chain/chain-state.ts";
import type { SourceVersion } from "../../src/object-store/stored-response.ts";
import { savedHistory } from "../../src/projections/settlements/saved-history.ts";
import type { Publication, Sources } from "../../src/resources/publication.ts";
import type { Snapshot } from "../../src/resources/snapshot.ts";
import type { Failure } from "../../src/values/failure.ts";
import { clockBehind, isAhead } from "../clock/instant.ts";
import type { Known, KnownObject } from "../known.ts";
import { WAS_DAMAGED } from "../report.ts";
import { isNew } from "./decide.ts";
import { isOfLog, type LogState } from "./log.ts";
import type { Planning } from "./plan.ts";
import type { Subject } from "./published.ts";
import { type CurrentSources, isVersionOf, type RefusedSources, versionFor } from "./source-version.ts";

/** One installation, as it is planned. */
export interface Scope {
  readonly snapshot: Snapshot;
  readonly log: LogState;
  readonly now: CurrentSources;
  readonly subject: Subject;
  readonly refused: RefusedSources;
}

/** A constant has no source that could go back. */
const CONSTANT: Sources = { installationId: null };

export interface PermittedSources {
  /** It has the published chain state if the chain is behind it. */
  readonly snapshot: Snapshot;
  readonly version: SourceVersion;
  /** Why the stored object does not belong to this installation and its log; undefined if it does. */
  readonly whyOthers: string | undefined;
  /** The chain is read for the first time. */
  readonly isSettling: boolean;
}

/** Throws the `Failure` of a refused chain if nothing of it was published, and clock_behind. */
export function permittedSources(
  publication: Publication,
  object: KnownObject,
  scope: Scope,
  { known, at }: Pick<Planning, "known" | "at">,
): PermittedSources {
  const { now, refused } = scope;
  const snapshot = withPublishedHistory(publication, object, scope, known);
  const { sources = CONSTANT } = publication;
  const { installationId = snapshot.installationId, usesChain = false } = sources;
  const published = object.sourceVersion;
  const current = versionFor(sources, now);
  if (isAhead(published.at, at)) throw clockBehind(object.key, published.at, at);
  const isSettling = usesChain && snapshot.chain.isSettling;
  if (installationId === null) return { snapshot, version: current, isSettling, whyOthers: undefined };
  const whyOthers = isNew(object) ? undefined : whyOthersOf(published, now.subject, snapshot);
  const permitted = { snapshot, version: current, whyOthers, isSettling: isSettling && whyOthers === undefined };
  return usesChain ? permittedChain(publication, published, { permitted, refused: refused.chain, known }) : permitted;
}

/** A new log and a corrected installation id leave objects of others. Other facts in this log are damage. */
function whyOthersOf(
  published: SourceVersion,
  { of, log }: CurrentSources["subject"],
  { ledger }: Snapshot,
): string | undefined {
  const isSubject = isVersionOf(published, of);
  if (isSubject && isOfLog(published, log, ledger)) return undefined;
  return isSubject && published.log === log ? WAS_DAMAGED : "of another installation or another log";
}

/** Adds the history that is stored. If a put has taken it out of the store, it was saved. */
function withPublishedHistory(
  { key, publishedBody }: Publication,
  { sourceVersion }: KnownObject,
  { snapshot, now }: Scope,
  known: Known,
): Snapshot {
  const { chain } = now.chain;
  if (publishedBody?.hasHistory === undefined || chain === undefined) return snapshot;
  const body = sourceVersion.chain === chain ? known.body(key) : undefined;
  const isStored = body !== undefined && publishedBody.hasHistory(body);
  return { ...snapshot, publishedHistory: isStored ? body : savedHistory(snapshot.projections, key, chain) };
}

interface PermittingChain {
  readonly permitted: PermittedSources;
  readonly refused: Failure | undefined;
  readonly known: Known;
}

/**
 * Returns `permitted` with a chain state that continues the published one, or with the published one itself. Throws
 * `refused`.
 */
function permittedChain(
  publication: Publication,
  published: SourceVersion,
  { permitted, refused, known }: PermittingChain,
): PermittedSources {
  const { snapshot, version, whyOthers, isSettling } = permitted;
  const { chain } = snapshot;
  // Process shows the Core state, also while there is no view.
  const core = publication.publishedBody?.core === undefined ? undefined : chain.safeCore;
  const isOtherChain =
    published.chain !== undefined && version.chain !== undefined && published.chain !== version.chain;
  if (published.safeBlock === undefined || whyOthers !== undefined || (isOtherChain && core !== undefined)) {
    if (refused !== undefined) throw refused;
    return core === undefined ? permitted : { ...permitted, version: withChainOf(versionOfCore(chain), version) };
  }
  const hasView = version.safeBlock !== undefined;
  if (hasView && refused === undefined) return permitted;
  const kept = { ...permitted, version: withChainOf(published, version) };
  const isCoreUnproven = core !== undefined && !isCoreOf(published, chain);
  if (refused !== undefined || isCoreUnproven || (isSettling && chain.safeCore === undefined)) {
    const safeCore = publishedCore(publication, known);
    if (safeCore !== undefined && snapshot.genesisTimestamp !== undefined) {
      return { ...kept, snapshot: { ...snapshot, chain: { ...chain, safeCore } }, isSettling: false };
    }
  }
  if (refused !== undefined) throw refused;
  return isCoreUnproven ? { ...kept, snapshot: { ...snapshot, chain: { ...chain, safeCore: undefined } } } : kept;
}

/** Keeps the published block in the version of a response that has no current chain view. */
function withChainOf({ safeBlock, safeHash, chain }: SourceVersion, now: SourceVersion): SourceVersion {
  return { ...now, ...(safeBlock && { safeBlock }), ...(safeHash && { safeHash }), ...(chain && { chain }) };
}

function versionOfCore({ safeCoreBlock }: Snapshot["chain"]): SourceVersion {
  if (safeCoreBlock === undefined) return { at: 0 };
  return { at: 0, safeBlock: String(safeCoreBlock.number), safeHash: safeCoreBlock.hash };
}

/**
 * True if the Core state in the chain's file is that of the published block. While no node responds, another block cannot be
 * trusted: it may be older or of another fork.
 */
function isCoreOf(published: SourceVersion, chain: Snapshot["chain"]): boolean {
  const { safeBlock, safeHash } = versionOfCore(chain);
  return published.safeBlock === safeBlock && (published.safeHash === undefined || published.safeHash === safeHash);
}

function publishedCore({ key, publishedBody }: Publication, known: Known): SafeCoreState | undefined {
  const body = known.body(key);
  return body === undefined ? undefined : publishedBody?.core?.(body);
}
