/**
 * The source version of an object, which its metadata record (docs/spec/publishing.md#asof), and the one check that keeps
 * responses from going back: `sourceRegression`.
 */

import { createHash } from "node:crypto";
import type { ChainBinding } from "../../src/chain/chain-state.ts";
import { type FactSum, factSumAt, readFactSums } from "../../src/ledger/read/changes.ts";
import { readNewestReceipt, readTelemetryIdAt } from "../../src/ledger/read/receipts.ts";
import { FACT_KINDS, type FactKind } from "../../src/ledger/schema.ts";
import { installationRowId, readWatermarks } from "../../src/ledger/watermarks.ts";
import type { FactPart, SourceVersion } from "../../src/object-store/stored-response.ts";
import type { Sources } from "../../src/resources/publication.ts";
import type { Snapshot } from "../../src/resources/snapshot.ts";
import type { ReadOnlyDatabase } from "../../src/sqlite/statement.ts";
import { EXIT, Failure } from "../../src/values/failure.ts";

/** `at` in epoch ms; `history` is the installation's. */
export function currentSourceVersion(snapshot: Snapshot, sources: Sources, at: number, history: string): SourceVersion {
  const { installationId = snapshot.installationId, kinds = [], usesChain = false } = sources;
  const program = sources.program === undefined ? {} : { program: sources.program };
  if (installationId === null || (kinds.length === 0 && !usesChain)) return { at, ...program };
  return {
    at,
    ...program,
    of: shortHash(installationId),
    ...(history === "1" ? {} : { history }),
    ...(kinds.length === 0 ? {} : factsOf(snapshot, installationId, kinds)),
    ...(usesChain ? chainOf(snapshot) : {}),
  };
}

/** 64 bits of a text's SHA-256. */
export function shortHash(text: string): string {
  return createHash("sha256").update(text).digest().subarray(0, 8).toString("base64url");
}

export function chainId(binding: ChainBinding): string {
  const { target, chainId: id, core, deploymentBlock } = binding;
  return shortHash(JSON.stringify([target, String(id), core, String(deploymentBlock)]));
}

/** True if a version is of this installation and history. Earlier program versions did not record the installation. */
export function isVersionOf(version: SourceVersion, of: string | undefined, history: string): boolean {
  const isSame = version.of === undefined || of === undefined || version.of === of;
  return isSame && (version.history ?? "1") === history;
}

/** The facts of two versions of one installation and history, the higher count of each kind. */
export function joinedFacts(one: SourceVersion, other: SourceVersion): SourceVersion {
  const facts = FACT_KINDS.map((_, kind) => higher(one.facts?.[kind] ?? null, other.facts?.[kind] ?? null));
  const newest = (other.position ?? 0) > (one.position ?? 0) ? other : one;
  const { position, telemetryId } = newest;
  return {
    ...one,
    ...(facts.some((part) => part !== null) && { facts }),
    ...(position !== undefined && { position }),
    ...(telemetryId !== undefined && { telemetryId }),
  };
}

function higher(one: FactPart | null, other: FactPart | null): FactPart | null {
  return (other?.[0] ?? -1) > (one?.[0] ?? -1) ? other : one;
}

/** Why sources are refused: they would take back something that was published of an installation. */
export interface RefusedSources {
  readonly ledger?: Failure | undefined;
  readonly chain?: Failure | undefined;
}

/** The sources now. */
export interface CurrentSources {
  readonly snapshot: Pick<Snapshot, "ledger">;
  readonly installationId: string;
  /** From `currentSourceVersion`, with the published history and the chain. */
  readonly version: SourceVersion;
  /** The chain's hash at a published block; null: every node was silent; undefined: not looked up. */
  blockAt(number: string): string | null | undefined;
}

/**
 * The one check (docs/spec/publishing.md#asof): `Failure` ledger_behind, ledger_forked or chain_behind unless the sources
 * continue everything that was published of an installation. Versions of another installation or history are not compared
 * with the ledger.
 */
export function sourceRegression(published: readonly SourceVersion[], current: CurrentSources): RefusedSources {
  const { snapshot, installationId, version } = current;
  const { of, history = "1" } = version;
  const facts = published.filter((one) => isVersionOf(one, of, history));
  const chain = published.map((one) => chainRegression(one, current)).find((failure) => failure !== undefined);
  return { ledger: ledgerRegression(facts, snapshot, installationId), chain };
}

/** The ledger's part of the check, for versions of this installation and history. */
export function ledgerRegression(
  published: readonly SourceVersion[],
  { ledger }: Pick<Snapshot, "ledger">,
  installationId: string,
): Failure | undefined {
  const rowId = ledger && installationRowId(ledger, installationId);
  const facts: Facts = { ledger: rowId === undefined ? undefined : ledger, installation: rowId ?? 0 };
  const newest = distinct(published.map(({ position, telemetryId }) => [position, telemetryId] as const));
  const faults = [
    ...newest.map(([position, telemetryId]) => receiptsRegression(position, telemetryId, facts)),
    ...FACT_KINDS.flatMap((kind, index) => {
      const parts = distinct(published.map((one) => one.facts?.[index]).filter((part) => part != null));
      return parts.map((part) => kindRegression(kind, part, facts));
    }),
  ].filter((fault) => fault !== undefined);
  // A forked ledger hides that it is also behind.
  const fault = faults.find(({ code }) => code === "ledger_forked") ?? faults[0];
  return fault && ledgerFailure(fault, installationId);
}

/** The published block that a newer state of the same chain must still have; undefined if there is none. */
export function publishedBlock(
  published: SourceVersion,
  now: SourceVersion,
): { readonly number: string; readonly hash: string } | undefined {
  const isSameChain = published.chain === undefined || now.chain === undefined || published.chain === now.chain;
  const { safeBlock: number, safeHash: hash } = published;
  if (number === undefined || hash === undefined || now.safeBlock === undefined || !isSameChain) return undefined;
  return BigInt(now.safeBlock) > BigInt(number) ? { number, hash } : undefined;
}

/**
 * The chain's part of the check: `Failure` chain_behind if the chain has not reached a published version's safe block, or has
 * another block there: a fork may have outgrown what was published.
 */
function chainRegression(published: SourceVersion, { version: now, blockAt }: CurrentSources): Failure | undefined {
  // A new history also accepts another chain. Another installation was published from the same chain.
  const { history = "1" } = published;
  if (isVersionOf(published, now.of, history) && history !== (now.history ?? "1")) return undefined;
  const isSameChain = published.chain === undefined || now.chain === undefined || published.chain === now.chain;
  if (published.safeBlock === undefined || now.safeBlock === undefined || !isSameChain) return undefined;
  const ahead = BigInt(now.safeBlock) - BigInt(published.safeBlock);
  const hash = ahead === 0n ? now.safeHash : ahead > 0n ? blockAt(published.safeBlock) : undefined;
  if (ahead >= 0n && (published.safeHash === undefined || hash === undefined || hash === published.safeHash)) {
    return undefined;
  }
  const what =
    ahead < 0n
      ? `is safe through block ${now.safeBlock}, block ${published.safeBlock} was published`
      : hash === null
        ? `cannot be asked for block ${published.safeBlock}, which was published`
        : `has another block at ${published.safeBlock} than was published`;
  return new Failure("chain_behind", `the chain ${what}`, {
    exit: EXIT.failed,
    hint: "What was published stays until the chain has caught up. If it does not, use another node (rpcUrl).",
  });
}

interface Facts {
  /** Undefined if there is no ledger, or if it does not know the installation. */
  readonly ledger: ReadOnlyDatabase | undefined;
  readonly installation: number;
}

interface Fault {
  readonly code: "ledger_behind" | "ledger_forked";
  readonly message: string;
}

/** Most versions of an installation have the same facts. */
function distinct<T extends readonly unknown[]>(parts: readonly T[]): T[] {
  return [...new Map(parts.map((part) => [String(part), part])).values()];
}

function receiptsRegression(
  position: number | undefined,
  telemetryId: string | undefined,
  { ledger, installation }: Facts,
): Fault | undefined {
  if (position === undefined) return undefined;
  const found = ledger && readTelemetryIdAt(ledger, installation, position);
  const message = `was published through position ${position}, the ledger`;
  if (found === undefined) return { code: "ledger_behind", message: `${message} does not reach it` };
  if (found === telemetryId || telemetryId === undefined) return undefined;
  return { code: "ledger_forked", message: `${message} has another receipt there` };
}

function kindRegression(kind: FactKind, part: FactPart, { ledger, installation }: Facts): Fault | undefined {
  const [count, sum, base = 0] = part;
  const present = ledger === undefined ? 0 : readWatermarks(ledger, installation)[kind];
  const message = `was published with ${count} facts of kind ${kind}, the ledger`;
  if (present < count) return { code: "ledger_behind", message: `${message} has ${present}` };
  // Objects of earlier program versions have only counts.
  if (ledger === undefined || sum === undefined) return undefined;
  const then = factSumAt(ledger, installation, kind, count);
  // A ledger that cannot be compared counts as forked.
  if (then === undefined) return { code: "ledger_forked", message: `${message} cannot tell if they are the same` };
  const [, sumThen, baseThen = 0] = factPart(then);
  return sum === sumThen && base === baseThen ? undefined : { code: "ledger_forked", message: `${message} has others` };
}

function ledgerFailure({ code, message }: Fault, installationId: string): Failure {
  return new Failure(code, `${installationId} ${message}`, {
    exit: EXIT.failed,
    hint:
      "What was published stays. Restore the ledger that was published from, or abandon its published history: " +
      `noonmark publish --new-history ${installationId}`,
  });
}

export function factPart({ count, sum, base }: FactSum): FactPart {
  if (sum === undefined) return [count];
  const bits = Buffer.alloc(8);
  bits.writeBigUInt64BE(sum);
  const text = bits.toString("base64url");
  return base === 0 ? [count, text] : [count, text, base];
}

function factsOf({ ledger }: Snapshot, installationId: string, kinds: readonly FactKind[]) {
  const rowId = ledger && installationRowId(ledger, installationId);
  if (ledger === undefined || rowId === undefined) return {};
  const sums = readFactSums(ledger, rowId);
  const facts = FACT_KINDS.map((kind) => (kinds.includes(kind) ? factPart(sums[kind]) : null));
  const newest = kinds.includes("receipt") ? readNewestReceipt(ledger, rowId) : undefined;
  return { facts, ...(newest && { position: newest.position, telemetryId: newest.telemetryId }) };
}

function chainOf({ chain: { core, binding } }: Snapshot) {
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
