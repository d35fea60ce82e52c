/** The publisher's own file of what is derived from ledger and chain, advanced by new facts only. */
import { statSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "better-sqlite3";
import { installationNo } from "../../src/ledger/watermarks.ts";
import { advanceMilestones } from "../../src/projections/activity/milestones.ts";
import { advanceProjections } from "../../src/projections/advance.ts";
import { advanceChainViews } from "../../src/projections/chain-views.ts";
import { openProjections, openProjectionsCopy, PROJECTIONS_FILE } from "../../src/projections/open.ts";
import { activityContext } from "../../src/resources/activity/tiles/context.ts";
import type { Snapshot } from "../../src/resources/snapshot.ts";
import { planActivity } from "../activity/plan.ts";
import { beginActivity } from "../activity/recall.ts";

/** The configured installation's activity is followed, and every installation's facts. */
export type ProjectionInputs = Pick<
  Snapshot,
  "installationId" | "ledger" | "chain" | "chainDb" | "projections" | "genesisTimestamp"
>;

export interface ProjectionsSource {
  /** What is derived, as far as it has been brought; a file that was replaced is opened anew. */
  open(): Database;
  /** Brings it as far as one bounded step goes. Synchronous: inside a read transaction. `at` in epoch ms. */
  advance(inputs: ProjectionInputs, at: number): void;
  /** Whether the last step left facts for another one. */
  readonly isBehind: boolean;
  close(): void;
}

/** The publisher's own; a file that `noonmark rebuild` has put in its place is opened anew. */
export function ownProjections(stateDirectory: string, options: { readonly whole: boolean }): ProjectionsSource {
  const path = join(stateDirectory, PROJECTIONS_FILE);
  let db = openProjections(path);
  let inode = statSync(path).ino;
  return source(() => {
    const now = statSync(path, { throwIfNoEntry: false })?.ino;
    if (now !== inode) {
      db.close();
      db = openProjections(path);
      inode = statSync(path).ino;
    }
    return db;
  }, options);
}

/** A copy in memory, for what leaves no trace: it takes in all that is new before it answers. */
export function copiedProjections(stateDirectory: string): ProjectionsSource {
  const db = openProjectionsCopy(join(stateDirectory, PROJECTIONS_FILE));
  beginActivity(db);
  return source(() => db, { whole: true });
}

function source(open: () => Database, { whole }: { readonly whole: boolean }): ProjectionsSource {
  let isBehind = false;
  return {
    open,
    advance(inputs, at) {
      isBehind = advanceStep(inputs, at);
      if (whole) while (isBehind) isBehind = advanceStep(inputs, at);
      const { installationId, chain, projections } = inputs;
      advanceChainViews(projections, inputs);
      const context = activityContext(installationId, chain);
      if (context !== undefined) planActivity(projections, context);
    },
    get isBehind() {
      return isBehind;
    },
    close: () => open().close(),
  };
}

/** One step of what follows the ledger; true while it holds more. */
function advanceStep({ installationId, ledger, projections, genesisTimestamp }: ProjectionInputs, at: number): boolean {
  const no = ledger && installationNo(ledger, installationId);
  const milestonesLeft = advanceMilestones(
    projections,
    ledger,
    no === undefined ? undefined : { no, id: installationId },
  );
  const factsLeft = ledger !== undefined && advanceProjections(ledger, projections, { genesis: genesisTimestamp, at });
  return factsLeft || milestonesLeft;
}
