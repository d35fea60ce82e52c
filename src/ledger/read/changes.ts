/**
 * Which installations have moved, and by what the facts of an installation are known to be the ones they were
 * (docs/spec/publishing.md#nothing-goes-back). Ledgers of schema 1 have counts alone.
 */
import { createHash } from "node:crypto";
import type { Database } from "better-sqlite3";
import { statement } from "../../sqlite/statement.ts";
import { FACT_KINDS, type FactKind } from "../schema.ts";
import { readWatermarks } from "../watermarks.ts";

/** The accepted facts of one kind. */
export interface FactSum {
  readonly count: number;
  /**
   * The sum of the hashes of the facts after `base`, modulo 2^64 and whatever their order; undefined where counts alone
   * are known. Sums compare where their bases are equal.
   */
  readonly sum: bigint | undefined;
  /** So many facts, the first ones, are counted only: those of before the ledger kept sums. */
  readonly base: number;
}

export type FactSums = Record<FactKind, FactSum>;

/** How far a ledger had come when it was read. */
export interface LedgerPoint {
  /** The newest change; 0 in an empty ledger. */
  readonly seq: number;
  /** 64 bits of what that change and the ones before it say; at the same `seq` of another ledger they say something else. */
  readonly check: string;
}

export interface Changes {
  readonly now: LedgerPoint;
  /** Numbers of the installations that have moved since, ascending; undefined: any of them may have. */
  readonly installations: readonly number[] | undefined;
}

/** The facts of an installation as they are now; 0 and a sum of 0 for a kind that it has none of. */
export function readFactSums(ledger: Database, installation: number): FactSums {
  const watermarks = readWatermarks(ledger, installation);
  const sums = FACT_KINDS.map((kind) => [kind, readFactSum(ledger, installation, kind, watermarks[kind])]);
  return Object.fromEntries(sums) as FactSums;
}

/**
 * The facts of one kind when there were `count` of them, as far as a commit ended there; undefined where none did: they
 * came in other batches then, and nothing can be compared.
 */
export function factSumAt(ledger: Database, installation: number, kind: FactKind, count: number): FactSum | undefined {
  if (count === 0) return { count: 0, sum: 0n, base: 0 };
  if (!hasChanges(ledger)) return undefined;
  const sql = "SELECT 1 FROM change WHERE installation = ? AND kind = ? AND count = ?";
  if (statement(ledger, sql).get(installation, kind, count) === undefined) return undefined;
  return readFactSum(ledger, installation, kind, count);
}

/**
 * What has moved since a point that an earlier call gave, in time that grows with the changes since. All may have moved
 * where no point is given, where the ledger is another or has gone back, and in a ledger of schema 1.
 */
export function changedSince(ledger: Database, since: LedgerPoint | undefined): Changes {
  const now = newestPoint(ledger);
  if (since === undefined || !hasChanges(ledger) || !hasBeenAt(ledger, since)) return { now, installations: undefined };
  const moved = statement<[number], number>(ledger, MOVED_SINCE).pluck().all(since.seq) as number[];
  return { now, installations: moved.sort((one, other) => one - other) };
}

/** By the primary key: for DISTINCT alone SQLite would go through the index of all installations' changes. */
export const MOVED_SINCE = "SELECT DISTINCT installation FROM change NOT INDEXED WHERE seq > ?";

/** The next changes after a point, in their order. */
export interface NextChanges {
  /** Numbers of the installations that they moved. */
  readonly installations: readonly number[];
  /** The last of them; the point itself where there is none. */
  readonly through: LedgerPoint;
  readonly isNewest: boolean;
}

/** At most `most` changes; undefined where the ledger has never been at this point, or keeps no changes. */
export function nextChanges(ledger: Database, since: LedgerPoint, most: number): NextChanges | undefined {
  if (since.seq === 0 || !hasBeenAt(ledger, since)) return undefined;
  const sql = "SELECT seq, installation FROM change WHERE seq > ? ORDER BY seq LIMIT ?";
  const rows = statement<[number, number], { seq: number; installation: number }>(ledger, sql).all(since.seq, most);
  const last = rows.at(-1);
  return {
    installations: [...new Set(rows.map(({ installation }) => installation))],
    through: last === undefined ? since : { seq: last.seq, check: checkAt(ledger, last.seq) },
    isNewest: rows.length < most,
  };
}

/** The newest change; `seq` 0 where the ledger has or keeps none. */
export function newestPoint(ledger: Database): LedgerPoint {
  if (!hasChanges(ledger)) return { seq: 0, check: "" };
  const newest = statement<[], number | null>(ledger, "SELECT max(seq) FROM change").pluck().get() ?? 0;
  return { seq: newest, check: checkAt(ledger, newest) };
}

/** Whether this ledger was at that point once; of one without changes nothing can be told. */
export function hasBeenAt(ledger: Database, point: LedgerPoint): boolean {
  if (point.seq === 0) return true;
  return hasChanges(ledger) && checkAt(ledger, point.seq) === point.check;
}

/** Whether the file keeps changes: another process may upgrade it while it is open. */
function hasChanges(ledger: Database): boolean {
  const sql = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'change'";
  return statement(ledger, sql).get() !== undefined;
}

/** So many changes make the check of a point: a ledger that went back and grew again has others among them. */
const CHECKED = 16;

function checkAt(ledger: Database, seq: number): string {
  const sql = `SELECT seq, installation || ' ' || kind || ' ' || count || ' ' || ifnull(sum, '-') AS said
    FROM change WHERE seq <= ? ORDER BY seq DESC LIMIT ${CHECKED}`;
  const rows = statement<[number], { seq: number; said: string }>(ledger, sql).all(seq);
  if (rows[0]?.seq !== seq) return "";
  const hash = createHash("sha256").update(rows.map(({ said }) => said).join("\n"));
  return hash.digest().subarray(0, 8).toString("base64url");
}

/** The facts of one kind when there were `count` of them, in a commit that ended there. */
export function readFactSum(ledger: Database, installation: number, kind: FactKind, count: number): FactSum {
  if (count === 0) return { count, sum: 0n, base: 0 };
  if (!hasChanges(ledger)) return { count, sum: undefined, base: count };
  const base = statement<[number, string, number], number>(ledger, BASE).pluck().get(installation, kind, count);
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
