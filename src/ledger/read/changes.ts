/**
 * Finds the installations that changed since a point, and the sums by which an installation's facts are compared with earlier
 * ones (docs/spec/publishing.md#nothing-goes-back). Ledgers of schema 1 have only counts.
 */
import { createHash } from "node:crypto";
import { type ReadOnlyDatabase, readRow, readRows, readValue, readValues, statement } from "../../sqlite/statement.ts";
import { FactHash, FactSum64 } from "../intake/accept/fact-hash.ts";
import { FACT_KINDS, type FactKind } from "../schema.ts";
import { readWatermarks } from "../watermarks.ts";
import { type Receipt, SELECT_RECEIPTS } from "./receipts.ts";

/** A large batch saves the sum of its receipts after so many; between two of them it is made from the receipts. */
export const RECEIPTS_PER_SUM = 1024;

/** The accepted facts of one kind. */
export interface FactSum {
  readonly count: number;
  /**
   * The sum of the hashes of the facts after `base`, modulo 2^64 and whatever their order; undefined if counts alone
   * are known. Sums can be compared if their bases are equal.
   */
  readonly sum: bigint | undefined;
  /** The number of first facts that have no sum, because an earlier version accepted them. */
  readonly base: number;
}

export type FactSums = Record<FactKind, FactSum>;

/** How far a ledger had come when it was read. */
export interface LedgerPoint {
  /** The newest change; 0 in an empty ledger. */
  readonly seq: number;
  /** 64 bits of a hash of that change and the 15 before it. They differ at the same `seq` of another ledger. */
  readonly check: string;
}

export interface Changes {
  readonly now: LedgerPoint;
  /** Row ids of the installations that changed since, ascending; undefined if any of them may have. */
  readonly installations: readonly number[] | undefined;
}

/** The facts of an installation as they are now; 0 and a sum of 0 for a kind that it has none of. */
export function readFactSums(ledger: ReadOnlyDatabase, installation: number): FactSums {
  const watermarks = readWatermarks(ledger, installation);
  const sums = FACT_KINDS.map((kind) => [kind, readFactSum(ledger, installation, kind, watermarks[kind])]);
  return Object.fromEntries(sums) as FactSums;
}

/**
 * The facts of one kind when there were `count` of them. Every position has a sum: other facts than receipts save it, and a
 * receipt's is made from the nearest one that is saved. Undefined in a ledger of schema 1, and if the facts came in a batch of
 * an earlier version, which saved only the sum at its end. Such facts cannot be compared.
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

/** From the newest saved sum before it, or from its base, by the receipts since. */
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

/** The newest position up to `count` whose sum is saved, or is a base; 0 if there is none. */
export function savedReceipts(ledger: ReadOnlyDatabase, installation: number, count: number): number {
  if (!hasChanges(ledger)) return 0;
  return readValue<number>(ledger, SAVED_UP_TO, installation, count) ?? 0;
}

const SAVED_UP_TO = `
SELECT max(count) FROM change WHERE installation = ? AND kind = 'receipt' AND count <= ?`;

const RECEIPTS = `${SELECT_RECEIPTS} WHERE installation = ? AND position > ? AND position <= ? ORDER BY position`;

/**
 * The installations that have changed since a point that an earlier call returned. The time grows with the number of changes. All
 * may have changed if there is no point, if the ledger was replaced or has gone back, and in a ledger of schema 1.
 */
export function changedSince(ledger: ReadOnlyDatabase, since: LedgerPoint | undefined): Changes {
  const now = newestPoint(ledger);
  if (since === undefined || !hasChanges(ledger) || !hasBeenAt(ledger, since)) return { now, installations: undefined };
  const moved = readValues<number>(ledger, MOVED_SINCE, since.seq);
  return { now, installations: moved.sort((one, other) => one - other) };
}

/** By the primary key: for DISTINCT alone SQLite would go through the index of all installations' changes. */
export const MOVED_SINCE = "SELECT DISTINCT installation FROM change NOT INDEXED WHERE seq > ?";

/** The newest change; `seq` 0 if the ledger has or keeps none. */
export function newestPoint(ledger: ReadOnlyDatabase): LedgerPoint {
  if (!hasChanges(ledger)) return { seq: 0, check: "" };
  const newest = readValue<number | null>(ledger, "SELECT max(seq) FROM change") ?? 0;
  return { seq: newest, check: checkAt(ledger, newest) };
}

/** True if this ledger was at that point once. A ledger without changes cannot know. */
export function hasBeenAt(ledger: ReadOnlyDatabase, point: LedgerPoint): boolean {
  if (point.seq === 0) return true;
  return hasChanges(ledger) && checkAt(ledger, point.seq) === point.check;
}

/** True if the file keeps changes: another process may upgrade it while it is open. */
function hasChanges(ledger: ReadOnlyDatabase): boolean {
  const sql = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'change'";
  return readRow(ledger, sql) !== undefined;
}

/** Changes in the check of a point. A ledger that went back and grew again has others among them. */
const CHECKED = 16;

function checkAt(ledger: ReadOnlyDatabase, seq: number): string {
  const sql = `SELECT seq, installation || ' ' || kind || ' ' || count || ' ' || ifnull(sum, '-') AS said
    FROM change WHERE seq <= ? ORDER BY seq DESC LIMIT ${CHECKED}`;
  const rows = readRows<{ seq: number; said: string }>(ledger, sql, seq);
  if (rows[0]?.seq !== seq) return "";
  const hash = createHash("sha256").update(rows.map(({ said }) => said).join("\n"));
  return hash.digest().subarray(0, 8).toString("base64url");
}

/** The facts of one kind when there were `count` of them, in a commit that ended there. */
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
