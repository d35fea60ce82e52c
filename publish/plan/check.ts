/**
 * What is published of an installation, and the check that the sources continue it: nothing that was published goes back
 * (docs/spec/publishing.md#source-version).
 */

import { createHash } from "node:crypto";
import type { ChainBinding } from "../../src/chain/chain-state.ts";
import { FIRST_LOG } from "../../src/http/installations.ts";
import { checkpointKey, LOG_ROOTS } from "../../src/http/keys.ts";
import type { LogPoint } from "../../src/ledger/log.ts";
import { readNewestPosition } from "../../src/ledger/read/receipts.ts";
import { installationRowId } from "../../src/ledger/watermarks.ts";
import type { SourceVersion } from "../../src/object-store/stored-response.ts";
import type { Publication } from "../../src/resources/publication.ts";
import type { Snapshot } from "../../src/resources/snapshot.ts";
import { telemetryPublication, unknownTelemetryPublication } from "../../src/resources/telemetry/publication.ts";
import {
  installationTelemetryKey,
  parseInstallationTelemetryKey,
  TELEMETRY_KEY,
} from "../../src/resources/telemetry/route.ts";
import type { ReadOnlyDatabase } from "../../src/sqlite/statement.ts";
import { Failure } from "../../src/values/failure.ts";
import type { RefusedSources } from "../due.ts";
import type { Known } from "../known.ts";
import { type LogState, ledgerRegression, logState, storedCheckpoint } from "./log-state.ts";
import type { Lookup, Planning, StoreLookup } from "./plan.ts";

/** True if the stored index names the installation as the configured one. */
export function isIndexOf(configured: string, known: Known): boolean {
  const index = known.objects.index;
  return index !== undefined && index !== "lost" && index.configured === configured;
}

/** True if the stored index lists the installation and names the published log. */
export function isListed(known: Known, id: string): boolean {
  const index = known.objects.index;
  return index !== undefined && index !== "lost" && index.log === known.log && index.installations.has(id);
}

/** Returns what must be looked up before the number of the log is known. */
export function logLookups(known: Known): StoreLookup[] {
  const index = known.objects.index;
  if (index === undefined) return [{ is: "index" }];
  if (index === "lost" && known.publishedInstallations === undefined) return [{ is: "installations" }];
  const { log } = known;
  const isKnown =
    log !== undefined && LOG_ROOTS.every((root) => known.objects.get(checkpointKey(root, log)) !== undefined);
  return isKnown ? [] : [{ is: "log" }];
}

/** The responses of a publisher. */
export interface Responses {
  readonly configured: string;
  /** The configured installation's responses except telemetry, and every file. */
  readonly publications: readonly Publication[];
}

/** The responses of the configured installation and every file, or of one other installation. */
export function responsesOf(id: string, { configured, publications }: Responses): Publication[] {
  if (id !== configured) return [telemetryPublication(id, false)];
  return [unknownTelemetryPublication, telemetryPublication(id, true), ...publications];
}

/** Keys of those responses that are computed from the installation's facts or its chain. */
export function ownKeys(id: string, publications: readonly Publication[]): string[] {
  const isOwn = ({ sources: { installationId = id, kinds = [], usesChain = false } = {} }: Publication) =>
    installationId === id && (kinds.length > 0 || usesChain);
  return publications.filter(isOwn).map(({ key }) => key);
}

/** An installation that is planned: its responses, and what is published of it. */
interface PlannedInstallation {
  readonly id: string;
  /** Its responses, for the configured installation also every file. */
  readonly publications: readonly Publication[];
  /** It was published, and the stored index does not list it: an older index came back. */
  readonly isUnlisted: boolean;
  /** The versions under the keys of its responses. Nothing older is put. */
  readonly published: readonly SourceVersion[];
}

/** The subject is complete only if `lookups` is empty. */
function subjectOf(
  id: string,
  { known, ...responses }: { readonly known: Known } & Responses,
): { readonly subject: PlannedInstallation; readonly lookups: readonly StoreLookup[] } {
  const lookups = logLookups(known);
  const of = shortHash(id);
  const publications = responsesOf(id, responses);
  const keys = ownKeys(id, publications);
  const telemetry = id === responses.configured ? known.objects.get(TELEMETRY_KEY) : undefined;
  // If the setting first had a mistyped id, this installation's telemetry was published under its own key. That counts, too.
  if (telemetry !== undefined && telemetry.sourceVersion.of !== of) keys.push(installationTelemetryKey(id));
  for (const key of keys) if (known.objects.get(key) === undefined) lookups.push({ is: "object", key });
  const published = keys.flatMap((key) => known.objects.get(key)?.sourceVersion ?? []);
  const isPublished =
    known.publishedInstallations?.installations.has(id) === true ||
    published.some((version) => version.of === of) ||
    (known.tiles.progressFloor(id)?.position ?? 0) > 0;
  return { subject: { id, publications, isUnlisted: isPublished && !isListed(known, id), published }, lookups };
}

/** An index that was just read may be an older version. Installations that it lacks are listed again. */
export function reconcileListed(known: Known): void {
  const index = known.objects.index;
  if (index === undefined || index === "lost") return;
  const log = Math.max(index.log, known.log ?? FIRST_LOG);
  const published = [...known.objects.all()].flatMap(({ key, sourceVersion }) =>
    (sourceVersion.log ?? FIRST_LOG) === log ? (parseInstallationTelemetryKey(key) ?? []) : [],
  );
  for (const id of [...published, ...storedIn(log, known)]) if (!index.installations.has(id)) known.unlisted.add(id);
}

/** Returns the installations that have stored objects of a log. Those of an abandoned log may be unknown to the new one. */
export function storedIn(log: number, { publishedInstallations }: Known): string[] {
  return [...(publishedInstallations?.installations ?? [])].flatMap(([id, own]) => (own === log ? [id] : []));
}

/** The sources of one installation now, in the parts of a source version. */
export interface CurrentSources {
  /** When and by which program a response is built; `at` in epoch ms. */
  readonly built: Pick<SourceVersion, "at" | "program">;
  /** The installation, and the log from which it is published. */
  readonly subject: { readonly of: string; readonly log: number };
  readonly facts: Pick<SourceVersion, "size" | "root">;
  readonly newest: Pick<SourceVersion, "position">;
  readonly chain: Pick<SourceVersion, "chain" | "safeBlock" | "safeHash">;
}

function currentSources(
  { ledger, chain }: Pick<Snapshot, "ledger" | "chain">,
  id: string,
  log: { readonly number: number; readonly now: LogPoint | undefined },
  { at, program }: { readonly at: number; readonly program: string },
): CurrentSources {
  const rowId = ledger && installationRowId(ledger, id);
  const position = ledger && rowId !== undefined ? readNewestPosition(ledger, rowId) : 0;
  return {
    built: { at, program },
    subject: { of: shortHash(id), log: log.number },
    facts: rowId === undefined ? {} : { ...log.now },
    newest: position === 0 ? {} : { position },
    chain: chainOf(chain),
  };
}

/** Returns 64 bits of a text's SHA-256, in base64url. */
export function shortHash(text: string): string {
  return createHash("sha256").update(text).digest().subarray(0, 8).toString("base64url");
}

function bindingHash(binding: ChainBinding): string {
  const { target, chainId, core, deploymentBlock } = binding;
  return shortHash(JSON.stringify([target, String(chainId), core, String(deploymentBlock)]));
}

/** True if a version is of this installation. The version of an object that nobody could read has no installation. */
export function isVersionOf(version: SourceVersion, of: string): boolean {
  return version.of === undefined || version.of === of;
}

export interface CheckedChain {
  readonly failure: Failure | undefined;
  /** Numbers of published blocks. Their hashes must be looked up before the chain is checked. */
  readonly blocks: readonly string[];
}

/**
 * Compares the chain with everything that was published of an installation: `Failure` chain_behind. `blockAt`: the chain's
 * hash at a published block; null: every node was silent; undefined: not looked up.
 */
export function chainRegression(
  published: readonly SourceVersion[],
  now: CurrentSources,
  blockAt: (number: string) => string | null | undefined,
): CheckedChain {
  const found = published.map((one) => regressionOf(one, now, blockAt));
  return {
    failure: found.find(({ failure }) => failure !== undefined)?.failure,
    blocks: found.flatMap(({ block }) => block ?? []),
  };
}

/**
 * Checks the chain: `Failure` chain_behind if it has not reached a published safe block, or has another block there because
 * a fork outgrew the published one. `block` must be looked up first.
 */
function regressionOf(
  published: SourceVersion,
  { subject, chain: now }: CurrentSources,
  blockAt: (number: string) => string | null | undefined,
): { readonly failure?: Failure; readonly block?: string } {
  // A new log also accepts another chain. Another installation was published from the same chain.
  const { log = subject.log, safeBlock, safeHash } = published;
  if (isVersionOf(published, subject.of) && log !== subject.log) return {};
  if (safeBlock === undefined || now.safeBlock === undefined || published.chain !== now.chain) return {};
  const ahead = BigInt(now.safeBlock) - BigInt(safeBlock);
  if (ahead < 0n) return behind(`is safe through block ${now.safeBlock}, block ${safeBlock} was published`);
  const hash = ahead === 0n ? now.safeHash : blockAt(safeBlock);
  if (hash === safeHash) return {};
  if (hash === undefined) return { block: safeBlock };
  if (hash === null) return behind(`cannot be asked for block ${safeBlock}, which was published`);
  return behind(`has another block at ${safeBlock} than was published`);
}

function behind(what: string) {
  return { failure: new Failure("chain_behind", `the chain ${what}`) };
}

function chainOf({ core, binding }: Snapshot["chain"]): CurrentSources["chain"] {
  const bound = binding === undefined ? {} : { chain: bindingHash(binding) };
  if (core.status === "unavailable") return bound;
  const { safeThroughBlock, safeBlockHash } = core.view.chain;
  return { ...bound, safeBlock: String(safeThroughBlock), safeHash: safeBlockHash };
}

/** One installation as it is planned: a snapshot that was compared with everything that was published. */
export interface Scope {
  readonly snapshot: Snapshot;
  readonly log: LogState;
  readonly now: CurrentSources;
  readonly subject: PlannedInstallation;
  readonly refused: RefusedSources;
}

export interface CheckedScope {
  /** What must be looked up first. */
  readonly lookups: readonly Lookup[];
  /** Undefined while something is unknown. */
  readonly scope?: Scope;
}

/**
 * Compares ledger and chain with everything that was published (docs/spec/publishing.md#source-version). A source that is
 * behind or forked in one part must not advance another part.
 */
export function checkScope(
  id: string,
  snapshot: Snapshot,
  planning: Pick<Planning, "known" | "at" | "program"> & Responses,
): CheckedScope {
  const { known } = planning;
  const { subject, lookups } = subjectOf(id, planning);
  const { lookups: ofLedger, log, refused: ledger } = checkLedger(snapshot.ledger, planning);
  const needed = [...lookups, ...ofLedger];
  if (needed.length > 0) return { lookups: needed };
  const now = currentSources(snapshot, id, log, planning);
  const chain = chainRegression(subject.published, now, (number) => known.blocks.hash(number));
  if (chain.blocks.length > 0) return { lookups: chain.blocks.map((number) => ({ is: "block", number })) };
  return { lookups: [], scope: { snapshot, subject, log, now, refused: { ledger, chain: chain.failure } } };
}

/**
 * Compares a ledger with the published log: the one check, for a publisher and for its standby. If the checkpoint is lost, the
 * versions of the configured installation take its place. While something is unknown, `refused` has no meaning.
 */
export function checkLedger(
  ledger: ReadOnlyDatabase | undefined,
  planning: { readonly known: Known } & Responses,
): { readonly lookups: readonly StoreLookup[]; readonly log: LogState; readonly refused: Failure | undefined } {
  const { known, configured } = planning;
  const { log: number = FIRST_LOG } = known;
  const lookups = logLookups(known);
  const isCheckpointLost = lookups.length === 0 && storedCheckpoint(known, number) === undefined;
  const own = isCheckpointLost ? subjectOf(configured, planning) : NO_VERSIONS;
  const log = logState(number, ledger, known, own.subject.published);
  return { lookups: [...lookups, ...own.lookups], log, refused: ledgerRegression(ledger, log) };
}

const NO_VERSIONS = { lookups: [], subject: { published: [] } } as const;
