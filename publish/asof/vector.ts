/** What an object is computed from, as the vector of its writer metadata (docs/spec/publishing.md#asof). */
import { createHash } from "node:crypto";
import type { ChainBinding } from "../../src/chain/chain-state.ts";
import { type FactSum, readFactSums } from "../../src/ledger/read/changes.ts";
import { readNewestReceipt } from "../../src/ledger/read/receipts.ts";
import { FACT_KINDS } from "../../src/ledger/schema.ts";
import { installationNo } from "../../src/ledger/watermarks.ts";
import type { Asof, FactPart } from "../../src/object-store/stored-answer.ts";
import type { Publication } from "../../src/resources/publication.ts";
import type { Snapshot } from "../../src/resources/snapshot.ts";

/** `at` in epoch ms; `history` is the installation's. */
export function vectorOf(snapshot: Snapshot, publication: Publication, at: number, history: string): Asof {
  const { installationId = snapshot.installationId, kinds = [], usesChain = false } = publication;
  const program = publication.program === undefined ? {} : { program: publication.program };
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

export function factPart({ count, sum, base }: FactSum): FactPart {
  if (sum === undefined) return [count];
  const bits = Buffer.alloc(8);
  bits.writeBigUInt64BE(sum);
  const text = bits.toString("base64url");
  return base === 0 ? [count, text] : [count, text, base];
}

function factsOf({ ledger }: Snapshot, installationId: string, kinds: NonNullable<Publication["kinds"]>) {
  const no = ledger && installationNo(ledger, installationId);
  if (ledger === undefined || no === undefined) return {};
  const sums = readFactSums(ledger, no);
  const facts = FACT_KINDS.map((kind) => (kinds.includes(kind) ? factPart(sums[kind]) : null));
  const newest = kinds.includes("receipt") ? readNewestReceipt(ledger, no) : undefined;
  return { facts, ...(newest && { position: newest.position, telemetryId: newest.telemetryId }) };
}

function chainOf({ chain: { core, binding } }: Snapshot) {
  const bound = binding === undefined ? {} : { chain: chainId(binding) };
  if (core.status === "unavailable") return bound;
  const { safeThroughBlock, safeBlockHash } = core.view.chain;
  return { ...bound, safeBlock: String(safeThroughBlock), safeHash: safeBlockHash };
}
