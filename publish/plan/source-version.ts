/**
 * Source versions, which an object's metadata record (docs/spec/publishing.md#source-version), and the checks that keep
 * responses from going back.
 */

import { createHash } from "node:crypto";
import type { ChainBinding } from "../../src/chain/chain-state.ts";
import type { LogPoint } from "../../src/ledger/log.ts";
import { readNewestReceipt } from "../../src/ledger/read/receipts.ts";
import { installationRowId } from "../../src/ledger/watermarks.ts";
import type { SourceVersion } from "../../src/object-store/stored-response.ts";
import type { Sources } from "../../src/resources/publication.ts";
import type { Snapshot } from "../../src/resources/snapshot.ts";
import { Failure } from "../../src/values/failure.ts";

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

export function currentSources(
  { ledger, chain }: Pick<Snapshot, "ledger" | "chain">,
  id: string,
  log: { readonly number: number; readonly now: LogPoint | undefined },
  { at, program }: { readonly at: number; readonly program: string },
): CurrentSources {
  const rowId = ledger && installationRowId(ledger, id);
  const newest = ledger && rowId !== undefined ? readNewestReceipt(ledger, rowId) : undefined;
  return {
    built: { at, program },
    subject: { of: shortHash(id), log: log.number },
    facts: rowId === undefined ? {} : { ...log.now },
    newest: newest === undefined ? {} : { position: newest.position },
    chain: chainOf(chain),
  };
}

/** Returns the source version of a response, with the parts from which it is computed. */
export function versionFor(
  { installationId, kinds = [], usesChain = false, program }: Sources,
  { built, subject, facts, newest, chain }: CurrentSources,
): SourceVersion {
  const written = program === undefined ? built : { ...built, program };
  if (installationId === null || (kinds.length === 0 && !usesChain)) return written;
  return {
    ...written,
    ...subject,
    ...(kinds.length === 0 ? {} : facts),
    ...(kinds.includes("receipt") ? newest : {}),
    ...(usesChain ? chain : {}),
  };
}

/** Returns 64 bits of a text's SHA-256, in base64url. */
export function shortHash(text: string): string {
  return createHash("sha256").update(text).digest().subarray(0, 8).toString("base64url");
}

export function chainId(binding: ChainBinding): string {
  const { target, chainId: id, core, deploymentBlock } = binding;
  return shortHash(JSON.stringify([target, String(id), core, String(deploymentBlock)]));
}

/** True if a version is of this installation. The version of an object that nobody could read has no installation. */
export function isVersionOf(version: SourceVersion, of: string): boolean {
  return version.of === undefined || version.of === of;
}

/** Why sources are refused: they would take back something that was published of an installation. */
export interface RefusedSources {
  readonly ledger?: Failure | undefined;
  readonly chain?: Failure | undefined;
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
  const bound = binding === undefined ? {} : { chain: chainId(binding) };
  if (core.status === "unavailable") return bound;
  const { safeThroughBlock, safeBlockHash } = core.view.chain;
  return { ...bound, safeBlock: String(safeThroughBlock), safeHash: safeBlockHash };
}

/** True if `one` is a later program version (semver) than `other`; false if either is unknown. */
export function isNewerProgram(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  const [a, b] = [numbersOf(one), numbersOf(other)];
  for (const [index, number] of a.entries()) {
    if (number !== b[index]) return number > (b[index] ?? 0);
  }
  return false;
}

/** Major, minor, patch, and 1 for a release or 0 for a prerelease. */
function numbersOf(version: string): number[] {
  const [core = "", before] = version.split("-", 2);
  const numbers = core.split(".").map(Number);
  return [numbers[0] ?? 0, numbers[1] ?? 0, numbers[2] ?? 0, before === undefined ? 1 : 0];
}
