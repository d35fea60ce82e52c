/** The publisher's own file of what is derived from ledger and chain, advanced by new facts only. */
import { statSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "better-sqlite3";
import { advanceChainViews, advanceLedgerViews } from "../../src/projections/advance.ts";
import { StepBudget } from "../../src/projections/follow.ts";
import { openProjections, openProjectionsCopy, PROJECTIONS_FILE } from "../../src/projections/open.ts";
import { activityContext } from "../../src/resources/activity/tiles/context.ts";
import type { Snapshot } from "../../src/resources/snapshot.ts";
import { IdleCheckpoint } from "../../src/sqlite/idle-checkpoint.ts";
import { statement } from "../../src/sqlite/statement.ts";
import { planActivity } from "../activity-tiles.ts";

export type ProjectionInputs = Pick<
  Snapshot,
  "installationId" | "ledger" | "chain" | "chainDb" | "projections" | "genesisTimestamp"
>;

export interface ProjectionsSource {
  /** What is derived, as far as it has been brought; a file that was replaced is opened anew. */
  open(): Database;
  /**
   * One short step of what follows the ledger; whether all of it is in. Synchronous: inside a read transaction. `at` in
   * epoch ms.
   */
  step(inputs: ProjectionInputs, at: number): boolean;
  /**
   * One short step of what follows the chain, then of the tiles of both; whether all of it is in, without which nothing
   * is planned. Synchronous: in the transaction of a plan.
   */
  chainStep(inputs: ProjectionInputs): boolean;
  /**
   * Rows written so far by anything but `step`. These are committed at once (`commit`); what a step writes waits, since
   * the next step writes the same pages again, and since it is derived again if the process is killed.
   */
  otherWrites(): number;
  commit(): void;
  /** Commits steps that have waited long enough at `now` (ms, by a clock that never jumps), and empties an idle -wal file. */
  commitIfDue(now: number): void;
  /** Whether the last step left facts for another one. */
  readonly isBehind: boolean;
  /** In one cycle. */
  readonly mostSteps: number;
  close(): void;
}

/** Steps are committed at most this long after the first of them (ms): below what a rebuild waits for the lock. */
const COMMIT_EVERY_MS = 20_000;

/** Steps of a publisher, in microseconds of counted work: other things have their turn between them. */
const LEDGER_STEP_US = 20_000;
const CHAIN_STEP_US = 10_000;

/** Some half a second, between whose steps other things have their turn: what is left is taken in by the next cycles. */
const STEPS_OF_A_CYCLE = 40;

/** The publisher's own; a file that `noonmark rebuild` has put in its place is opened anew. */
export function ownProjections(stateDirectory: string, options: { readonly whole: boolean }): ProjectionsSource {
  const path = join(stateDirectory, PROJECTIONS_FILE);
  let db = openProjections(path);
  let inode = statSync(path).ino;
  return source(
    () => {
      const now = statSync(path, { throwIfNoEntry: false })?.ino;
      if (now !== inode) {
        db.close();
        db = openProjections(path);
        inode = statSync(path).ino;
      }
      return db;
    },
    { ...options, isOnDisk: true },
  );
}

/** A copy in memory, for what leaves no trace: it takes in all that is new before it answers. */
export function copiedProjections(stateDirectory: string): ProjectionsSource {
  const db = openProjectionsCopy(join(stateDirectory, PROJECTIONS_FILE));
  return source(() => db, { whole: true, isOnDisk: false });
}

function source(
  open: () => Database,
  { whole, isOnDisk }: { readonly whole: boolean; readonly isOnDisk: boolean },
): ProjectionsSource {
  let isBehind = false;
  let stepWrites = 0;
  let waitsSince: number | undefined;
  /** A file that was replaced is another connection. */
  let checkpoint: { readonly db: Database; readonly idle: IdleCheckpoint } | undefined;
  return {
    open,
    step(inputs, at) {
      const { projections } = inputs;
      if (isOnDisk && !projections.inTransaction) projections.exec("BEGIN IMMEDIATE");
      const before = totalChanges(projections);
      // Until the step is whole: if it fails, the next cycle takes it again.
      isBehind = true;
      isBehind = advanceLedgerViews(
        projections,
        { ...inputs, genesis: inputs.genesisTimestamp, at },
        new StepBudget(LEDGER_STEP_US),
      );
      stepWrites += totalChanges(projections) - before;
      return !isBehind;
    },
    otherWrites: () => totalChanges(open()) - stepWrites,
    commit() {
      const db = open();
      waitsSince = undefined;
      if (isOnDisk && db.inTransaction) db.exec("COMMIT");
    },
    commitIfDue(now) {
      if (!isOnDisk) return;
      const db = open();
      if (checkpoint?.db !== db) checkpoint = { db, idle: new IdleCheckpoint(db) };
      if (!db.inTransaction) return checkpoint.idle.look(now);
      waitsSince ??= now;
      if (now - waitsSince >= COMMIT_EVERY_MS) this.commit();
    },
    chainStep(inputs) {
      const { installationId, chain, projections } = inputs;
      const budget = new StepBudget(CHAIN_STEP_US);
      if (advanceChainViews(projections, inputs, budget)) return false;
      const context = activityContext(installationId, chain);
      return context === undefined || !planActivity(projections, context, budget);
    },
    get isBehind() {
      return isBehind;
    },
    mostSteps: whole ? Number.POSITIVE_INFINITY : STEPS_OF_A_CYCLE,
    close() {
      try {
        this.commit();
      } catch {
        // It is derived again by whoever opens the file next, who is told then if the disk is still full.
      }
      open().close();
    },
  };
}

/** Rows that this connection has written since it was opened. */
function totalChanges(db: Database): number {
  return statement<[], number>(db, "SELECT total_changes()").pluck().get() as number;
}
