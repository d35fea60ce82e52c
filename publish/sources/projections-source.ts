/** The publisher's own file of what is derived from ledger and chain, advanced by new facts only. */
import { statSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "better-sqlite3";
import type { ChainState } from "../../src/chain/chain-state.ts";
import { installationNo } from "../../src/ledger/watermarks.ts";
import { advanceMilestones } from "../../src/projections/activity/milestones.ts";
import { advanceProjections } from "../../src/projections/advance.ts";
import { advanceChainViews } from "../../src/projections/chain-views.ts";
import { openProjections, openProjectionsCopy, PROJECTIONS_FILE } from "../../src/projections/open.ts";
import { feedContext } from "../activity/context.ts";
import { planFeeds } from "../activity/plan.ts";
import { beginFeeds } from "../activity/recall.ts";

export interface ProjectionInputs {
  /** The configured one, whose activity is followed. */
  readonly installationId: string;
  readonly ledger: Database | undefined;
  readonly chain: ChainState;
  readonly chainDb: Database | undefined;
  /** Seconds. */
  readonly genesis: bigint | undefined;
  /** Epoch ms. */
  readonly at: number;
}

export interface ProjectionsSource {
  /** What is derived, brought as far as one bounded step goes. Synchronous: inside the cycle's read transaction. */
  advance(inputs: ProjectionInputs): Database;
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
  beginFeeds(db);
  return source(() => db, { whole: true });
}

function source(current: () => Database, { whole }: { readonly whole: boolean }): ProjectionsSource {
  let isBehind = false;
  return {
    advance(inputs) {
      const db = current();
      isBehind = advanceStep(db, inputs);
      if (whole) while (isBehind) isBehind = advanceStep(db, inputs);
      const { installationId, chain, chainDb } = inputs;
      advanceChainViews(db, { chain, chainDb });
      const context = feedContext(installationId, chain);
      if (context !== undefined) planFeeds(db, context);
      return db;
    },
    get isBehind() {
      return isBehind;
    },
    close: () => current().close(),
  };
}

/** One step of what follows the ledger; true while it holds more. */
function advanceStep(db: Database, { installationId, ledger, genesis, at }: ProjectionInputs): boolean {
  const no = ledger && installationNo(ledger, installationId);
  const milestonesLeft = advanceMilestones(db, ledger, no === undefined ? undefined : { no, id: installationId });
  const factsLeft = ledger !== undefined && advanceProjections(ledger, db, { genesis, at });
  return factsLeft || milestonesLeft;
}
