/** The publisher's own file of what is derived from ledger and chain, advanced by new facts only. */
import { statSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "better-sqlite3";
import type { ChainState } from "../src/chain/chain-state.ts";
import { advanceProjections } from "../src/projections/advance.ts";
import { advanceChainViews } from "../src/projections/chain-views.ts";
import {
  openProjections,
  openProjectionsCopy,
  openProjectionsInMemory,
  PROJECTIONS_FILE,
} from "../src/projections/open.ts";

export interface ProjectionInputs {
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
  return source(() => db, { whole: true });
}

/** Empty ones in memory, for tests. */
export function emptyProjections(): ProjectionsSource {
  const db = openProjectionsInMemory();
  return source(() => db, { whole: true });
}

function source(current: () => Database, { whole }: { readonly whole: boolean }): ProjectionsSource {
  let isBehind = false;
  return {
    advance({ ledger, chain, chainDb, genesis, at }) {
      const db = current();
      if (ledger !== undefined) {
        const step = () => advanceProjections(ledger, db, { genesis, at });
        isBehind = step();
        if (whole) while (isBehind) isBehind = step();
      }
      advanceChainViews(db, { chain, chainDb });
      return db;
    },
    get isBehind() {
      return isBehind;
    },
    close: () => current().close(),
  };
}
