/**
 * Source versions, which an object's metadata record (docs/spec/publishing.md#source-version), and `sourceRegression`, the one
 * check that keeps responses from going back.
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
import { Failure } from "../../src/values/failure.ts";

/** The sources of one installation now, in the parts of a source version. */
export interface CurrentSources {
  readonly installationId: string;
  /** Undefined if there is none, or if it does not know the installation. */
  readonly ledger: { readonly db: ReadOnlyDatabase; readonly rowId: number } | undefined;
  /** Epoch ms. */
  readonly at: number;
  /** The installation, and its published history. */
  readonly subject: { readonly of: string; readonly history?: string };
  /** One part for each kind of fact. */
  readonly facts: readonly FactPart[] | undefined;
  readonly newest: Pick<SourceVersion, "position" | "telemetryId">;
  readonly chain: Pick<SourceVersion, "chain" | "safeBlock" | "safeHash">;
}

export function currentSources(
  { ledger: db, chain }: Pick<Snapshot, "ledger" | "chain">,
  { id, history }: { readonly id: string; readonly history: string },
  at: number,
): CurrentSources {
  const ledger = db && installationIn(db, id);
  const sums = ledger && readFactSums(ledger.db, ledger.rowId);
  const newest = ledger && readNewestReceipt(ledger.db, ledger.rowId);
  return {
    installationId: id,
    ledger,
    at,
    subject: { of: shortHash(id), ...(history === "1" ? {} : { history }) },
    facts: sums && FACT_KINDS.map((kind) => factPart(sums[kind])),
    newest: newest === undefined ? {} : { position: newest.position, telemetryId: newest.telemetryId },
    chain: chainOf(chain),
  };
}

/** Returns undefined if the ledger does not know the installation. */
export function installationIn(db: ReadOnlyDatabase, id: string): CurrentSources["ledger"] {
  const rowId = installationRowId(db, id);
  return rowId === undefined ? undefined : { db, rowId };
}

/** Returns the source version of a response, with the parts from which it is computed. */
export function versionFor(
  { installationId, kinds = [], usesChain = false, program }: Sources,
  { at, subject, facts, newest, chain }: CurrentSources,
): SourceVersion {
  const written = { at, ...(program === undefined ? {} : { program }) };
  if (installationId === null || (kinds.length === 0 && !usesChain)) return written;
  const own = facts?.map((part, index) => (kinds.some((kind) => kind === FACT_KINDS[index]) ? part : null));
  return {
    ...written,
    ...subject,
    ...(kinds.length === 0 || own === undefined ? {} : { facts: own }),
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

/** True if a version is of this installation and history. The version of an object that nobody could read has no installation. */
export function isVersionOf(version: SourceVersion, of: string | undefined, history: string): boolean {
  const isSame = version.of === undefined || of === undefined || version.of === of;
  return isSame && (version.history ?? "1") === history;
}

/** Why sources are refused: they would take back something that was published of an installation. */
export interface RefusedSources {
  readonly ledger?: Failure | undefined;
  readonly chain?: Failure | undefined;
}

export interface CheckedSources {
  readonly refused: RefusedSources;
  /** Numbers of published blocks. Their hashes must be looked up before the chain is checked. */
  readonly blocks: readonly string[];
}

/**
 * The one check (docs/spec/publishing.md#source-version): `Failure` ledger_behind, ledger_forked or chain_behind unless the sources
 * continue everything that was published of an installation. Versions of another installation or history are not compared
 * with the ledger. `blockAt`: the chain's hash at a published block; null: every node was silent; undefined: not looked up.
 */
export function sourceRegression(
  published: readonly SourceVersion[],
  now: CurrentSources,
  blockAt: (number: string) => string | null | undefined,
): CheckedSources {
  const { of, history = "1" } = now.subject;
  const own = published.filter((one) => isVersionOf(one, of, history));
  const chain = published.map((one) => chainRegression(one, now, blockAt));
  return {
    refused: {
      ledger: ledgerRegression(own, now),
      chain: chain.find(({ failure }) => failure !== undefined)?.failure,
    },
    blocks: chain.flatMap(({ block }) => block ?? []),
  };
}

/** Checks the ledger. `published` are versions of this installation and history. */
export function ledgerRegression(
  published: readonly SourceVersion[],
  sources: Pick<CurrentSources, "ledger" | "installationId">,
): Failure | undefined {
  const newest = distinct(published.map(({ position, telemetryId }) => [position, telemetryId] as const));
  const faults = [
    ...newest.map(([position, telemetryId]) => receiptsRegression(position, telemetryId, sources)),
    ...FACT_KINDS.flatMap((kind, index) => {
      const parts = distinct(published.map((one) => one.facts?.[index]).filter((part) => part != null));
      return parts.map((part) => kindRegression(kind, part, sources));
    }),
  ].filter((fault) => fault !== undefined);
  // A forked ledger hides that it is also behind.
  return faults.find(({ code }) => code === "ledger_forked") ?? faults[0];
}

/**
 * Checks the chain: `Failure` chain_behind if it has not reached a published safe block, or has another block there because
 * a fork outgrew the published one. `block` must be looked up first.
 */
function chainRegression(
  published: SourceVersion,
  { subject, chain: now }: CurrentSources,
  blockAt: (number: string) => string | null | undefined,
): { readonly failure?: Failure; readonly block?: string } {
  // A new history also accepts another chain. Another installation was published from the same chain.
  const { history = "1", safeBlock, safeHash } = published;
  if (isVersionOf(published, subject.of, history) && history !== (subject.history ?? "1")) return {};
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

/** Most versions of an installation have the same facts. */
function distinct<T extends readonly unknown[]>(parts: readonly T[]): T[] {
  return [...new Map(parts.map((part) => [String(part), part])).values()];
}

function receiptsRegression(
  position: number | undefined,
  telemetryId: string | undefined,
  { ledger, installationId: id }: Pick<CurrentSources, "ledger" | "installationId">,
): Failure | undefined {
  if (position === undefined) return undefined;
  const found = ledger && readTelemetryIdAt(ledger.db, ledger.rowId, position);
  const through = `through position ${position}`;
  if (found === undefined) return ledgerBehind(id, through, "does not reach it");
  if (found === telemetryId || telemetryId === undefined) return undefined;
  return ledgerForked(id, through, "has another receipt there");
}

function kindRegression(
  kind: FactKind,
  [count, sum]: FactPart,
  { ledger, installationId: id }: Pick<CurrentSources, "ledger" | "installationId">,
): Failure | undefined {
  const present = ledger === undefined ? 0 : readWatermarks(ledger.db, ledger.rowId)[kind];
  const facts = `with ${count} facts of kind ${kind}`;
  if (present < count) return ledgerBehind(id, facts, `has ${present}`);
  if (ledger === undefined) return undefined;
  const then = factSumAt(ledger.db, ledger.rowId, kind, count);
  const isSame = then !== undefined && factPart(then)[1] === sum;
  return isSame ? undefined : ledgerForked(id, facts, "has others");
}

function ledgerBehind(id: string, what: string, ledger: string): Failure {
  return new Failure("ledger_behind", `${id} was published ${what}, the ledger ${ledger}`, {
    hint: `What was published stays. Ingest the missing facts in their order: noonmark ingest FILE --yes. ${abandon(id)}`,
  });
}

function ledgerForked(id: string, what: string, ledger: string): Failure {
  return new Failure("ledger_forked", `${id} was published ${what}, the ledger ${ledger}`, {
    hint: `What was published stays. Restore the ledger that was published from. ${abandon(id)}`,
  });
}

function abandon(id: string): string {
  return `If the published facts are lost for good, abandon them: noonmark publish --once --new-history ${id}`;
}

export function factPart({ count, sum }: FactSum): FactPart {
  const bits = Buffer.alloc(8);
  bits.writeBigUInt64BE(sum);
  return [count, bits.toString("base64url")];
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
