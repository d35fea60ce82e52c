/**
 * Finds the installations that changed since a point, and reads the sums that detect a replaced or restored ledger
 * (docs/spec/publishing.md#nothing-goes-back). Ledgers of schema 1 have only counts.
 */
import { createHash } from "node:crypto";
import { type ReadOnlyDatabase, readRow, readRows, readValue, readValues, statement } from "../../sqlite/statement.ts";
import { FactHash, FactSum64 } from "../intake/accept/fact-hash.ts";
import { FACT_KINDS, type FactKind } from "../schema.ts";
import { readWatermarks } from "../watermarks.ts";
import { type Receipt, SELECT_RECEIPTS } from "./receipts.ts";

/** A large batch saves the sum of its receipts at this interval; sums in between are computed from the receipts. */
export const RECEIPTS_PER_SUM = 1024;

/** The accepted facts of one kind. */
export interface FactSum {
  readonly count: number;
  /**
   * The sum of the hashes of the facts after `base`, modulo 2^64 and independent of their order; undefined if only
   * counts are known. Sums are comparable if their bases are equal.
   */
  readonly sum: bigint | undefined;
  /** The number of first facts that are not in the sum, because an earlier version accepted them. */
  readonly base: number;
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
 * Returns the sum of the first `count` facts of one kind. Receipts start from the nearest saved sum; the other kinds
 * save the sum at every count. Undefined in a ledger of schema 1, and within a batch of an earlier version, which saved
 * only the sum at its end: such facts cannot be compared.
 */
export function factSumAt(
  ledger: ReadOnlyDatabase,
  installation: number,
  kind: FactKind,
  count: number,
): FactSum | undefined {
  if (count === 0) return { count: 0, sum: 0n, base: 0 };
  if (!hasChanges(ledger)) return undefined;
  const sql = "SELECT 1 FROM change WHERE installation = ? AND kind = ? AND count = ?";
  const isSaved = readRow(ledger, sql, installation, kind, count) !== undefined;
  if (isSaved) return readFactSum(ledger, installation, kind, count);
  return kind === "receipt" ? receiptSumAt(ledger, installation, count) : undefined;
}

/** Adds the receipts after the newest saved sum, or after the base. */
function receiptSumAt(ledger: ReadOnlyDatabase, installation: number, count: number): FactSum | undefined {
  const base = readValue<number>(ledger, BASE, installation, "receipt", count) ?? 0;
  const from = savedReceipts(ledger, installation, count);
  const saved = from > base ? readFactSum(ledger, installation, "receipt", from).sum : 0n;
  if (saved === undefined) return undefined;
  const after = Math.max(from, base);
  const [sum, hash] = [new FactSum64(saved), new FactHash()];
  let position = after;
  const receipts = statement<[number, number, number], Receipt>(ledger, RECEIPTS);
  for (const receipt of receipts.iterate(installation, after, count)) {
    position = receipt.position;
    sum.add(hash.of({ type: "receipt", installationId: "", ...receipt }));
  }
  return position === count ? { count, sum: sum.value, base } : undefined;
}

/** Returns the newest position up to `count` with a saved sum or a base; 0 if there is none. */
export function savedReceipts(ledger: ReadOnlyDatabase, installation: number, count: number): number {
  if (!hasChanges(ledger)) return 0;
  return readValue<number>(ledger, SAVED_UP_TO, installation, count) ?? 0;
}

const SAVED_UP_TO = `
SELECT max(count) FROM change WHERE installation = ? AND kind = 'receipt' AND count <= ?`;

const RECEIPTS = `${SELECT_RECEIPTS} WHERE installation = ? AND position > ? AND position <= ? ORDER BY position`;

/**
 * Returns the installations that changed since a point of an earlier call, in time linear in the number of changes. All
 * may have changed without a point, after the ledger was replaced or went back, and in a ledger of schema 1.
 */
export function changedSince(ledger: ReadOnlyDatabase, since: LedgerPoint | undefined): Changes {
  const now = newestPoint(ledger);
  if (since === undefined || !hasChanges(ledger) || !hasBeenAt(ledger, since)) return { now, installations: undefined };
  const changed = readValues<number>(ledger, MOVED_SINCE, since.seq);
  return { now, installations: changed.sort((one, other) => one - other) };
}

/** Uses the primary key; for DISTINCT SQLite would otherwise scan the index of all installations' changes. */
export const MOVED_SINCE = "SELECT DISTINCT installation FROM change NOT INDEXED WHERE seq > ?";

/** Returns the newest change; `seq` is 0 if the ledger has no changes or does not record them. */
export function newestPoint(ledger: ReadOnlyDatabase): LedgerPoint {
  if (!hasChanges(ledger)) return { seq: 0, check: "" };
  const newest = readValue<number | null>(ledger, "SELECT max(seq) FROM change") ?? 0;
  return { seq: newest, check: checkAt(ledger, newest) };
}

/** Returns true if this ledger was at that point; false for `seq` above 0 if it does not record changes. */
export function hasBeenAt(ledger: ReadOnlyDatabase, point: LedgerPoint): boolean {
  if (point.seq === 0) return true;
  return hasChanges(ledger) && checkAt(ledger, point.seq) === point.check;
}

/** Returns true if the ledger records changes. Checked each time: another process may upgrade the open file. */
function hasChanges(ledger: ReadOnlyDatabase): boolean {
  const sql = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'change'";
  return readRow(ledger, sql) !== undefined;
}

/** Number of changes in the check of a point. A ledger that went back and grew again differs in one of them. */
const CHECKED_CHANGES = 16;

function checkAt(ledger: ReadOnlyDatabase, seq: number): string {
  const sql = `SELECT seq, installation || ' ' || kind || ' ' || count || ' ' || ifnull(sum, '-') AS text
    FROM change WHERE seq <= ? ORDER BY seq DESC LIMIT ${CHECKED_CHANGES}`;
  const rows = readRows<{ seq: number; text: string }>(ledger, sql, seq);
  if (rows[0]?.seq !== seq) return "";
  const hash = createHash("sha256").update(rows.map(({ text }) => text).join("\n"));
  return hash.digest().subarray(0, 8).toString("base64url");
}

/** Reads the saved sum of the first `count` facts of one kind; `sum` is undefined if none is saved at that count. */
export function readFactSum(ledger: ReadOnlyDatabase, installation: number, kind: FactKind, count: number): FactSum {
  if (count === 0) return { count, sum: 0n, base: 0 };
  if (!hasChanges(ledger)) return { count, sum: undefined, base: count };
  const base = readValue<number>(ledger, BASE, installation, kind, count);
  const stored = statement<[number, string, number], bigint>(ledger, SUM)
    .pluck()
    .safeIntegers()
    .get(installation, kind, count) as bigint | null | undefined;
  const sum = stored === undefined || stored === null ? undefined : BigInt.asUintN(64, stored);
  return { count, sum, base: sum === undefined ? count : (base as number) };
}

const SUM = "SELECT sum FROM change WHERE installation = ? AND kind = ? AND count = ?";

const BASE = `
SELECT ifnull(max(count), 0) FROM change WHERE installation = ? AND kind = ? AND count <= ? AND sum IS NULL`;
