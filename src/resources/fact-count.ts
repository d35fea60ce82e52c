/** How far the facts of one kind have come in the ledger, as a publication's input. */
import type { FactKind } from "../ledger/schema.ts";
import { installationNo, readWatermarks } from "../ledger/watermarks.ts";
import type { Snapshot } from "./snapshot.ts";

export function factCount({ ledger }: Snapshot, installationId: string, kind: FactKind): string {
  const no = ledger && installationNo(ledger, installationId);
  return ledger === undefined || no === undefined ? "none" : String(readWatermarks(ledger, no)[kind] ?? 0);
}
