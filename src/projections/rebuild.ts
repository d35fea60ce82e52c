/**
 * Projections made anew from the ledger, while the old ones stay in use (docs/spec/publishing.md#commands): into a file
 * beside them, and then into theirs in one transaction. A file is never renamed over a database that may be open: its
 * -wal would be taken for the new one's. A publisher that runs all the while sees the old content or the new, and goes
 * on from there.
 *
 * A crash before that transaction leaves the old content and a file beside it, which the next rebuild takes over; a
 * crash in it leaves the old content.
 */
import { rmSync } from "node:fs";
import type { Database } from "better-sqlite3";
import { installationNo, readWatermarks } from "../ledger/watermarks.ts";
import { openForWriting } from "../sqlite/open.ts";
import { sqliteFailure } from "../sqlite/sqlite-failure.ts";
import { statement } from "../sqlite/statement.ts";
import { Failure } from "../values/failure.ts";
import { followedReceipts } from "./activity/milestone-state.ts";
import { advanceMilestones } from "./activity/milestones.ts";
import { type AdvanceOptions, advanceProjections, STEP } from "./advance.ts";
import { readFollowedClosures } from "./followed.ts";
import { openProjections } from "./open.ts";
import { PROJECTIONS } from "./schema.ts";
import { takeOver } from "./take-over.ts";

export interface RebuildOptions extends Pick<AdvanceOptions, "at"> {
  /** Whose milestones the activity feed tells. */
  readonly installationId: string;
  /** Seconds; where it is undefined, the genesis that the old projections knew counts. */
  readonly genesis: bigint | undefined;
  onProgress(progress: RebuildProgress): void;
}

/** Receipts, each once for the statistics and once for the milestones, and rounds. */
export interface RebuildProgress {
  readonly done: number;
  readonly total: number;
}

export interface Rebuilt {
  readonly receipts: number;
  /** Observed ones. */
  readonly rounds: number;
  /** False where no genesis is known: the publisher then follows the rounds once it has one. */
  readonly hasGenesis: boolean;
}

/**
 * Throws `Failure`: projections_locked (75) where another rebuild is at work, projections_newer, projections_foreign
 * and what `openProjections` throws (74). A file that is broken is replaced.
 */
export function rebuildProjections(path: string, ledger: Database, options: RebuildOptions): Rebuilt {
  const aside = `${path}.rebuild`;
  const old = openUnlessBroken(path);
  try {
    const genesis = options.genesis ?? knownGenesis(old);
    const rebuilt = guarded(aside, () => buildAside(aside, ledger, { ...options, genesis }));
    if (old === undefined) remove(path);
    const live = old ?? openProjections(path);
    guarded(path, () => takeOver(live, aside));
    if (old === undefined) live.close();
    remove(aside);
    return { ...rebuilt, hasGenesis: genesis !== undefined };
  } finally {
    old?.close();
  }
}

function buildAside(path: string, ledger: Database, options: RebuildOptions): Omit<Rebuilt, "hasGenesis"> {
  const db = openForWriting(path, PROJECTIONS, { busyTimeout: 0 });
  try {
    // Held until the end, so that a second rebuild is told; what is lost in a power cut is begun again.
    db.pragma("locking_mode = EXCLUSIVE");
    db.pragma("synchronous = OFF");
    db.transaction(() => tablesOf(db).forEach((table) => db.exec(`DELETE FROM ${table}`))).immediate();
    db.exec("INSERT INTO followed_closures VALUES (1, NULL, 0, NULL, NULL)");
    const no = installationNo(ledger, options.installationId);
    const installation = no === undefined ? undefined : { no, id: options.installationId };
    const total = totalOf(ledger, no ?? 0);
    for (let more = true; more; ) {
      const step = ledger.transaction(() => {
        const factsLeft = advanceProjections(ledger, db, options);
        return advanceMilestones(db, ledger, installation, STEP.receipts) || factsLeft;
      });
      more = step();
      options.onProgress({ done: receiptsIn(db) + (followedReceipts(db)?.position ?? 0) + roundsIn(db), total });
    }
    return { receipts: receiptsIn(db), rounds: roundsIn(db) };
  } finally {
    db.close();
  }
}

function openUnlessBroken(path: string): Database | undefined {
  try {
    const db = openProjections(path);
    const sound = db.pragma("quick_check(1)", { simple: true }) === "ok";
    if (sound) return db;
    db.close();
    return undefined;
  } catch (error) {
    if (error instanceof Failure && /_(?:damaged|not_a_database)$/.test(error.code)) return undefined;
    throw error;
  }
}

function knownGenesis(old: Database | undefined): bigint | undefined {
  const genesis = old && readFollowedClosures(old).genesis;
  return typeof genesis === "string" ? BigInt(genesis) : undefined;
}

function tablesOf(db: Database): string[] {
  const sql = "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'";
  return statement<[], string>(db, sql).pluck().all();
}

function totalOf(ledger: Database, installation: number): number {
  const facts = sumOf(ledger, "SELECT sum(value) FROM watermark WHERE kind IN ('receipt', 'round')");
  return facts + readWatermarks(ledger, installation).receipt;
}

function receiptsIn(db: Database): number {
  return sumOf(db, "SELECT sum(position) FROM followed");
}

function roundsIn(db: Database): number {
  return sumOf(db, "SELECT sum(observed) FROM round_totals");
}

function sumOf(db: Database, sql: string): number {
  return statement<[], number | null>(db, sql).pluck().get() ?? 0;
}

function remove(path: string): void {
  for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
}

function guarded<T>(path: string, use: () => T): T {
  try {
    return use();
  } catch (error) {
    throw sqliteFailure(error, path, PROJECTIONS.name, "write");
  }
}
