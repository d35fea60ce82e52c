import type { Database } from "better-sqlite3";
import { factSumAt } from "../../src/ledger/read/changes.ts";
import type { FactKind } from "../../src/ledger/schema.ts";
import { readWatermarks } from "../../src/ledger/watermarks.ts";

/** Counts `added` facts that a test has inserted, as intake does. Only stored receipts have their true sum. */
export function raiseWatermark(ledger: Database, installation: number, kind: FactKind, added: number): void {
  const count = readWatermarks(ledger, installation)[kind] + added;
  const sum = (kind === "receipt" ? factSumAt(ledger, installation, kind, count)?.sum : undefined) ?? BigInt(count);
  ledger
    .prepare("INSERT OR REPLACE INTO change (installation, kind, count, sum) VALUES (?, ?, ?, ?)")
    .run(installation, kind, count, BigInt.asIntN(64, sum));
  ledger.prepare("INSERT OR REPLACE INTO watermark VALUES (?, ?, ?)").run(installation, kind, count);
}
