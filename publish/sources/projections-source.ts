/** The publisher's projections file: what is derived from the ledger and the chain, advanced by new facts only. */
import { statSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "better-sqlite3";
import { advanceChainViews, advanceLedgerViews } from "../../src/projections/advance.ts";
import { StepBudget } from "../../src/projections/follow.ts";
import { openProjections, openProjectionsCopy, PROJECTIONS_FILE } from "../../src/projections/open.ts";
import { activityContext } from "../../src/resources/activity/tiles.ts";
import type { WritableSnapshot } from "../../src/resources/snapshot.ts";
import { IdleWal } from "../../src/sqlite/idle-wal.ts";
import { type ReadOnlyDatabase, readNumber } from "../../src/sqlite/statement.ts";
import { planActivity } from "../plan/activity.ts";

type ProjectionInputs = Pick<
  WritableSnapshot,
  "installationId" | "ledger" | "chain" | "chainDb" | "projections" | "genesisTimestamp" | "faults"
>;

export interface ProjectionsSource {
  readonly db: Database;
  /** Opens the file again if it was deleted or replaced, and returns true then. */
  reopenReplaced(): boolean;
  /** Begins a transaction, if none is open. Throws SQLite's error if another process writes. */
  lock(): void;
  /** Makes one short step along the ledger, inside a read transaction. Returns true at its end. `at` in epoch ms. */
  step(inputs: ProjectionInputs, at: number): boolean;
  /**
   * Makes one short step along the chain, then one of the activity tiles. Returns true at the end of both. Nothing may be
   * planned before that. Runs in the transaction of the plan.
   */
  chainStep(inputs: ProjectionInputs): boolean;
  /**
   * Counts rows that were not written by `step`. These are committed at once. Rows of a step wait, because the next step
   * writes the same pages, and because they are derived again after a crash.
   */
  otherWrites(): number;
  commit(): void;
  /** Commits steps that are old enough, and empties an idle -wal file. `now` is monotonic (ms). */
  commitIfDue(now: number): void;
  /** True if the last step left facts for the next one. */
  readonly isBehind: boolean;
  /** Steps along the ledger per cycle. */
  readonly stepLimit: number;
  close(): void;
}

/** How long the event loop may wait for another process's write (ms). */
const BUSY_TIMEOUT_MS = 20;

/** Steps are committed at most this long after the first one (ms). A rebuild waits longer for the lock. */
const COMMIT_EVERY_MS = 20_000;

/** Estimated work of one step (µs). The event loop runs between two steps. */
const STEP_US = 10_000;

/** Limits a cycle to less than a second of work. The next cycles do the rest. */
const STEPS_OF_A_CYCLE = 40;

/** The publisher's own file. */
export function ownProjections(stateDirectory: string, { whole }: { readonly whole: boolean }): ProjectionsSource {
  const path = join(stateDirectory, PROJECTIONS_FILE);
  return source(openProjections(path, BUSY_TIMEOUT_MS), { whole, path });
}

/** A copy in memory, for commands that write nothing. It follows the sources to their end. */
export function copiedProjections(stateDirectory: string): ProjectionsSource {
  return source(openProjectionsCopy(join(stateDirectory, PROJECTIONS_FILE)), { whole: true, path: undefined });
}

/** `path`: of the file; undefined for a copy in memory. */
function source(
  opened: Database,
  { whole, path }: { readonly whole: boolean; readonly path: string | undefined },
): ProjectionsSource {
  const isOnDisk = path !== undefined;
  const inodeOf = () => (isOnDisk ? statSync(path, { throwIfNoEntry: false })?.ino : undefined);
  let db = opened;
  let inode = inodeOf();
  let isBehind = false;
  let stepWrites = 0;
  let waitsSince: number | undefined;
  let idle = new IdleWal(db);
  return {
    get db() {
      return db;
    },
    reopenReplaced() {
      if (!isOnDisk || inodeOf() === inode) return false;
      db.close();
      db = openProjections(path, BUSY_TIMEOUT_MS);
      inode = inodeOf();
      [stepWrites, waitsSince, idle] = [0, undefined, new IdleWal(db)];
      return true;
    },
    lock() {
      if (isOnDisk && !db.inTransaction) db.exec("BEGIN IMMEDIATE");
    },
    step(inputs, at) {
      const { projections } = inputs;
      const before = totalChanges(projections);
      // If the step fails, the next cycle repeats it.
      isBehind = true;
      isBehind = advanceLedgerViews(
        projections,
        { ...inputs, genesis: inputs.genesisTimestamp, at },
        new StepBudget(STEP_US),
        inputs.faults,
      );
      stepWrites += totalChanges(projections) - before;
      return !isBehind;
    },
    otherWrites: () => totalChanges(db) - stepWrites,
    commit() {
      waitsSince = undefined;
      if (isOnDisk && db.inTransaction) db.exec("COMMIT");
    },
    commitIfDue(now) {
      if (!isOnDisk) return;
      if (!db.inTransaction) return idle.look(now);
      waitsSince ??= now;
      if (now - waitsSince >= COMMIT_EVERY_MS) this.commit();
    },
    chainStep(inputs) {
      const { installationId, chain, projections, faults } = inputs;
      const budget = new StepBudget(STEP_US);
      if (advanceChainViews(projections, inputs, budget, faults)) return false;
      const context = activityContext(installationId, chain);
      return context === undefined || !planActivity(projections, context, budget, faults);
    },
    get isBehind() {
      return isBehind;
    },
    stepLimit: whole ? Number.POSITIVE_INFINITY : STEPS_OF_A_CYCLE,
    close() {
      try {
        this.commit();
      } catch {
        // The next process derives the lost rows again, and fails then if the disk is still full.
      }
      db.close();
    },
  };
}

/** Rows that this connection has written since it was opened. */
function totalChanges(db: ReadOnlyDatabase): number {
  return readNumber(db, "SELECT total_changes()");
}
