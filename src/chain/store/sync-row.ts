/** Reads and writes the single row with the file's progress, the last snapshot and the current problem. */
import type { Database } from "better-sqlite3";
import { type ReadOnlyDatabase, run, statement } from "../../sqlite/statement.ts";
import type { ProblemEvent } from "../poll-event.ts";

/** The last stored block. */
export interface StoredThrough {
  readonly block: bigint;
  readonly hash: string;
}

export interface SyncRow {
  /** A random id, replaced whenever stored events are removed or replaced. */
  readonly history: string;
  readonly stored: StoredThrough | undefined;
  /** Epoch ms at which that block was stored; 0 before the first. */
  readonly storedAt: number;
  readonly indexedThroughBlock: bigint | undefined;
  readonly lastGoodPassAt: number | undefined;
  /** JSON of the last good snapshot. */
  readonly snapshot: string | null;
  readonly problem: Problem | undefined;
}

/** A problem, and when it began (epoch ms). */
export interface Problem {
  readonly since: number;
  readonly event: ProblemEvent;
}

export function readSync(db: ReadOnlyDatabase): SyncRow {
  const row = statement<[], Record<string, bigint | string | null>>(db, "SELECT * FROM sync WHERE id = 1")
    .safeIntegers()
    .get();
  const block = row?.stored_through_block;
  const indexed = row?.indexed_through_block;
  const at = row?.last_good_pass_at;
  return {
    history: String(row?.history),
    stored: typeof block === "bigint" ? { block, hash: String(row?.stored_through_hash) } : undefined,
    storedAt: Number(row?.stored_at ?? 0),
    indexedThroughBlock: typeof indexed === "bigint" ? indexed : undefined,
    lastGoodPassAt: typeof at === "bigint" ? Number(at) : undefined,
    snapshot: typeof row?.snapshot === "string" ? row.snapshot : null,
    problem: typeof row?.problem === "string" ? (JSON.parse(row.problem) as Problem) : undefined,
  };
}

/** Stores the instant of a good pass that found nothing new. */
export function touch(db: Database, lastGoodPassAt: number): void {
  run(db, "UPDATE sync SET last_good_pass_at = ? WHERE id = 1", lastGoodPassAt);
}

/** Stores the problem for `noonmark status`; undefined clears it. */
export function writeProblem(db: Database, event: ProblemEvent | undefined, since: number): void {
  const problem = event === undefined ? null : JSON.stringify({ since, event } satisfies Problem);
  run(db, "UPDATE sync SET problem = ? WHERE id = 1", problem);
}

/** Deletes the snapshot that the chain contradicts, so that a restart does not serve it. */
export function dropSnapshot(db: Database): void {
  run(db, "UPDATE sync SET snapshot = NULL WHERE id = 1");
}
