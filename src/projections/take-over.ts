/** How what was rebuilt from the ledger takes the place of what stood, in one transaction. */
import type { Database } from "better-sqlite3";
import { MILESTONE_STATE_TABLES } from "./activity/milestone-state.ts";
import { LEDGER_TABLES } from "./schema.ts";

/**
 * Replaces everything that comes from the ledger by what the file `aside` holds. What comes from the chain, what was
 * published of old and the feed's tiles stay: they have other sources, and follow the changes that are logged here.
 */
export function takeOver(live: Database, aside: string): void {
  live.prepare("ATTACH ? AS rebuilt").run(aside);
  try {
    live
      .transaction(() => {
        for (const table of ["followed_closures", ...LEDGER_TABLES, ...MILESTONE_STATE_TABLES]) {
          live.exec(`DELETE FROM main.${table}; INSERT INTO main.${table} SELECT * FROM rebuilt.${table}`);
        }
        live.exec(REPLACE_EVENTS);
      })
      .immediate();
  } finally {
    live.exec("DETACH rebuilt");
  }
}

const OLD = "SELECT * FROM main.activity_event WHERE category = 'measurement'";
const NEW = "SELECT * FROM rebuilt.activity_event WHERE category = 'measurement'";

/** Only what differs: each change makes the feed cut a tile anew. */
const REPLACE_EVENTS = `
INSERT INTO main.activity_change (key, category) SELECT key, category FROM (${OLD} EXCEPT ${NEW});
DELETE FROM main.activity_event WHERE key IN (SELECT key FROM (${OLD} EXCEPT ${NEW}));
INSERT INTO main.activity_change (key, category) SELECT key, category FROM (${NEW} EXCEPT ${OLD});
INSERT INTO main.activity_event SELECT * FROM (${NEW} EXCEPT ${OLD});
`;
