/**
 * Finds the installations that changed since a point, and reads the sums that detect a replaced or restored ledger
 * (docs/spec/publishing.md#nothing-goes-back).
 */
import { createHash } from "node:crypto";
import { type ReadOnlyDatabase, readRows, readValue, readValues, statement } from "../../sqlite/statement.ts";
import { FactHash, FactSum64 } from "../intake/accept/fact-hash.ts";
import { ledgerDamaged } from "../ledger-failure.ts";
import { FACT_KINDS, type FactKind } from "../schema.ts";
import { readWatermarks } from "../watermarks.ts";
import { type Receipt, SELECT_RECEIPTS } from "./receipts.ts";

/** A large batch saves the sum of its receipts at this interval; sums in between are computed from the receipts. */
export const RECEIPTS_PER_SUM = 1024;

/** The accepted facts of one kind. */
export interface FactSum {
  readonly count: number;
  /** The sum of the facts' hashes, modulo 2^64 and independent of their order. */
  readonly sum: bigint;
}

export type FactSums = Record<FactKind, FactSum>;

/** The state of a ledger when it was read. */
export interface LedgerPoint {
  /** The newest change; 0 in an empty ledger. */
  readonly seq: number;
  /** 64-bit hash of that change and the 15 before it. It differs at the same `seq` of another ledger. */
  readonly check: string;
}

export interface Changes {
  readonly now: LedgerPoint;
  /** Row ids of the changed installations, ascending; undefined if any may have changed. */
  readonly installations: readonly number[] | undefined;
}

/** Returns the current sums of an installation; count and sum are 0 for a kind without facts. */
export function readFactSums(ledger: ReadOnlyDatabase, installation: number): FactSums {
  const watermarks = readWatermarks(ledger, installation);
  const sums = FACT_KINDS.map((kind) => [kind, readFactSum(ledger, installation, kind, watermarks[kind])]);
  return Object.fromEntries(sums) as FactSums;
}

/**
 * Returns the sum of the first `count` facts of one kind; undefined if the ledger has fewer. The sum of receipts is
 * computed from the nearest saved one; the other kinds save the sum at every count.
 */
export function factSumAt(
  ledger: ReadOnlyDatabase,
  installation: number,
  kind: FactKind,
  count: number,
): FactSum | undefined {
  const sum = savedSum(ledger, installation, kind, count);
  if (sum !== undefined) return { count, sum };
  return kind === "receipt" ? receiptSumAt(ledger, installation, count) : undefined;
}

function savedSum(ledger: ReadOnlyDatabase, installation: number, kind: FactKind, count: number): bigint | undefined {
  if (count === 0) return 0n;
  const sql = "SELECT sum FROM change WHERE installation = ? AND kind = ? AND count = ?";
  const stored = statement<[number, string, number], bigint>(ledger, sql)
    .pluck()
    .safeIntegers()
    .get(installation, kind, count) as bigint | undefined;
  return stored === undefined ? undefined : BigInt.asUintN(64, stored);
}

/** Adds the receipts after the newest saved sum. */
function receiptSumAt(ledger: ReadOnlyDatabase, installation: number, count: number): FactSum | undefined {
  const saved = readValue<number>(ledger, SAVED_UP_TO, installation, count) ?? 0;
  const [sum, hash] = [new FactSum64(savedSum(ledger, installation, "receipt", saved) ?? 0n), new FactHash()];
  let position = saved;
  const receipts = statement<[number, number, number], Receipt>(ledger, RECEIPTS);
  for (const receipt of receipts.iterate(installation, saved, count)) {
    position = receipt.position;
    sum.add(hash.of({ type: "receipt", installationId: "", ...receipt }));
  }
  return position === count ? { count, sum: sum.value } : undefined;
}

const SAVED_UP_TO = `
SELECT max(count) FROM change WHERE installation = ? AND kind = 'receipt' AND count <= ?`;

const RECEIPTS = `${SELECT_RECEIPTS} WHERE installation = ? AND position > ? AND position <= ? ORDER BY position`;

/**
 * Returns the installations that changed since a point of an earlier call, in time linear in the number of changes. All
 * may have changed without a point, and after the ledger was replaced or went back.
 */
export function changedSince(ledger: ReadOnlyDatabase, since: LedgerPoint | undefined): Changes {
  const now = newestPoint(ledger);
  if (since === undefined || !hasBeenAt(ledger, since)) return { now, installations: undefined };
  const changed = readValues<number>(ledger, MOVED_SINCE, since.seq);
  return { now, installations: changed.sort((one, other) => one - other) };
}

/** Uses the primary key; for DISTINCT SQLite would otherwise scan the index of all installations' changes. */
export const MOVED_SINCE = "SELECT DISTINCT installation FROM change NOT INDEXED WHERE seq > ?";

/** Returns the newest change; `seq` is 0 in an empty ledger. */
export function newestPoint(ledger: ReadOnlyDatabase): LedgerPoint {
  const newest = readValue<number | null>(ledger, "SELECT max(seq) FROM change") ?? 0;
  return { seq: newest, check: checkAt(ledger, newest) };
}

/** Returns true if this ledger was at that point. */
export function hasBeenAt(ledger: ReadOnlyDatabase, point: LedgerPoint): boolean {
  return point.seq === 0 || checkAt(ledger, point.seq) === point.check;
}

/** Number of changes in the check of a point. A ledger that went back and grew again differs in one of them. */
const CHECKED_CHANGES = 16;

function checkAt(ledger: ReadOnlyDatabase, seq: number): string {
  const sql = `SELECT seq, installation || ' ' || kind || ' ' || count || ' ' || sum AS text
    FROM change WHERE seq <= ? ORDER BY seq DESC LIMIT ${CHECKED_CHANGES}`;
  const rows = readRows<{ seq: number; text: string }>(ledger, sql, seq);
  if (rows[0]?.seq !== seq) return "";
  const hash = createHash("sha256").update(rows.map(({ text }) => text).join("\n"));
  return hash.digest().subarray(0, 8).toString("base64url");
}

/** Returns the sum at a watermark, which each batch saves. Throws `Failure` ledger_damaged if it is missing. */
export function readFactSum(ledger: ReadOnlyDatabase, installation: number, kind: FactKind, count: number): FactSum {
  const sum = savedSum(ledger, installation, kind, count);
  if (sum === undefined) throw ledgerDamaged(ledger.name, `it has no sum of ${count} ${kind} records`);
  return { count, sum };
}
