/**
 * The one place that judges whether the sources are behind what was published (docs/spec/publishing.md#asof): nothing is
 * put in the place of an object that was computed from more, or from other facts.
 */
import type { Database } from "better-sqlite3";
import { factSumAt } from "../../src/ledger/read/changes.ts";
import { readTelemetryIdAt } from "../../src/ledger/read/receipts.ts";
import { FACT_KINDS, type FactKind } from "../../src/ledger/schema.ts";
import { installationNo, readWatermarks } from "../../src/ledger/watermarks.ts";
import type { Asof, FactPart } from "../../src/object-store/stored-answer.ts";
import type { Snapshot } from "../../src/resources/snapshot.ts";
import { EXIT, Failure } from "../../src/values/failure.ts";
import { factPart } from "./vector.ts";

/**
 * `Failure` ledger_behind or ledger_forked: the ledger does not go on from the facts of a published object. Counts are
 * compared always, and sums if the published object has one.
 */
export function ledgerBehind(
  published: Asof,
  { ledger }: Pick<Snapshot, "ledger">,
  installationId: string,
): Failure | undefined {
  const installation = ledger && installationNo(ledger, installationId);
  const facts = { ledger: installation === undefined ? undefined : ledger, installation: installation ?? 0 };
  const receipts = receiptsBehind(published, facts);
  if (receipts !== undefined) return discontinuity(receipts, installationId);
  for (const [index, part] of (published.facts ?? []).entries()) {
    const kind = FACT_KINDS[index];
    const fault = part && kind && kindBehind(kind, part, facts);
    if (fault) return discontinuity(fault, installationId);
  }
  return undefined;
}

/** `Failure` chain_behind: the chain as this publisher sees it has not reached a published object's safe block. */
export function chainBehind(published: Asof, now: Asof): Failure | undefined {
  const isSameChain = published.chain === undefined || now.chain === undefined || published.chain === now.chain;
  if (published.safeBlock === undefined || now.safeBlock === undefined || !isSameChain) return undefined;
  const ahead = BigInt(now.safeBlock) - BigInt(published.safeBlock);
  const isOther = ahead === 0n && published.safeHash !== undefined && published.safeHash !== now.safeHash;
  if (ahead > 0n || (ahead === 0n && !isOther)) return undefined;
  const what = isOther
    ? `has another block at ${now.safeBlock} than was published`
    : `is safe through block ${now.safeBlock}, block ${published.safeBlock} was published`;
  return new Failure("chain_behind", `the chain ${what}`, {
    exit: EXIT.failed,
    hint: "What was published stays until the chain has caught up; ask another node (rpcUrl) where it does not.",
  });
}

/** Whether an object speaks of the installation and the history that are published now: else there is nothing to compare. */
export function isComparable(published: Asof, now: Asof): boolean {
  const isSame = published.of === undefined || now.of === undefined || published.of === now.of;
  return isSame && (published.history ?? "1") === (now.history ?? "1");
}

interface Facts {
  /** Undefined where there is none, or where it does not know the installation. */
  readonly ledger: Database | undefined;
  readonly installation: number;
}

interface Fault {
  readonly code: "ledger_behind" | "ledger_forked";
  readonly message: string;
}

function receiptsBehind({ position, telemetryId }: Asof, { ledger, installation }: Facts): Fault | undefined {
  if (position === undefined) return undefined;
  const found = ledger && readTelemetryIdAt(ledger, installation, position);
  const message = `was published through position ${position}, the ledger`;
  if (found === undefined) return { code: "ledger_behind", message: `${message} does not reach it` };
  if (found === telemetryId || telemetryId === undefined) return undefined;
  return { code: "ledger_forked", message: `${message} has another receipt there` };
}

function kindBehind(kind: FactKind, part: FactPart, { ledger, installation }: Facts): Fault | undefined {
  const [count, sum, base = 0] = part;
  const present = ledger === undefined ? 0 : readWatermarks(ledger, installation)[kind];
  const message = `was published with ${count} facts of kind ${kind}, the ledger`;
  if (present < count) return { code: "ledger_behind", message: `${message} has ${present}` };
  // Objects of earlier versions have counts alone.
  if (ledger === undefined || sum === undefined) return undefined;
  const then = factSumAt(ledger, installation, kind, count);
  // What cannot be compared is no consent.
  if (then === undefined) return { code: "ledger_forked", message: `${message} cannot tell if they are the same` };
  const [, sumThen, baseThen = 0] = factPart(then);
  return sum === sumThen && base === baseThen ? undefined : { code: "ledger_forked", message: `${message} has others` };
}

function discontinuity({ code, message }: Fault, installationId: string): Failure {
  return new Failure(code, `${installationId} ${message}`, {
    exit: EXIT.failed,
    hint:
      "What was published stays. Restore the ledger that was published from, or leave that history behind on purpose: " +
      `noonmark publish --new-history ${installationId}`,
  });
}
