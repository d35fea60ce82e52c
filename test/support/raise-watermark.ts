import type { Database } from "better-sqlite3";
import { receiptText } from "../../src/ledger/entry.ts";
import { LogWriter } from "../../src/ledger/log.ts";
import { readReceipts } from "../../src/ledger/read/receipts.ts";
import type { FactKind } from "../../src/ledger/schema.ts";
import { listInstallations, readWatermarks } from "../../src/ledger/watermarks.ts";

/** Receipts that are read at once. A bench has ten million. */
const PAGE = 10_000;

/** Counts `added` facts that a test has inserted, and adds them to the log. Only receipts have their true text. */
export function raiseWatermark(ledger: Database, installation: number, kind: FactKind, added: number): void {
  const before = readWatermarks(ledger, installation)[kind];
  const count = before + added;
  const log = new LogWriter(ledger);
  const { id = "" } = listInstallations(ledger)[installation - 1] ?? {};
  if (kind === "receipt") {
    for (let from = before + 1; from <= count; from += PAGE) {
      for (const receipt of readReceipts(ledger, installation, from, Math.min(count, from + PAGE - 1))) {
        log.append(installation, receiptText(id, receipt), receipt.position);
      }
    }
  } else {
    for (let n = before + 1; n <= count; n++) log.append(installation, `${kind} ${n}`, null);
  }
  ledger.prepare("INSERT OR REPLACE INTO watermark VALUES (?, ?, ?)").run(installation, kind, count);
}
