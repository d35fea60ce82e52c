/** The way out of a reorg below the safe block (docs/nodes.md, "After a deep reorg"). */
import { randomUUID } from "node:crypto";
import type { Database } from "better-sqlite3";
import { statement } from "../../sqlite/statement.ts";
import { readSync } from "./sync-row.ts";

/**
 * Forgets everything above `block`; the next pass goes on from there. Its hash is not known unless it was the last one
 * stored: the next pass then compares the newest event that is left.
 */
export function rewind(db: Database, block: bigint): { removed: number } {
  return db
    .transaction(() => {
      const stored = readSync(db).stored;
      if (stored === undefined || stored.block <= block) return { removed: 0 };
      const { changes } = statement(db, "DELETE FROM event WHERE block_number > ?").run(block);
      statement(
        db,
        `UPDATE sync SET stored_through_block = ?, stored_through_hash = NULL,
         indexed_through_block = NULL, snapshot = NULL, problem = NULL, history = ? WHERE id = 1`,
      ).run(block, randomUUID());
      return { removed: changes };
    })
    .immediate();
}
