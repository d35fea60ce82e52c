/** The publisher's own file of what is derived from ledger and chain, advanced by new facts only. */
import type { Database } from "better-sqlite3";
import { advanceProjections } from "../src/projections/advance.ts";
import { advanceChainViews } from "../src/projections/chain-views.ts";
import type { Sources } from "./sources.ts";

/** What projections are derived from; `at` in epoch ms. */
export type ProjectionInputs = Omit<Sources, "projections"> & { readonly at: number };

export interface ProjectionsSource {
  /**
   * The projections as of what ledger and chain hold now, or a bounded step towards it. Synchronous: called inside the
   * cycle's read transaction.
   */
  advance(inputs: ProjectionInputs): Database;
  close(): void;
}

/** Takes over an open file. */
export function projectionsSource(db: Database): ProjectionsSource {
  return {
    advance: (inputs) => {
      const { facts, genesisTimestamp: genesis, at } = inputs;
      if (facts !== undefined) advanceProjections(facts.ledger, db, { genesis, at });
      advanceChainViews(db, inputs);
      return db;
    },
    close: () => db.close(),
  };
}
