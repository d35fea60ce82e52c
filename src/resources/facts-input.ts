/** How far the facts of some kinds have come in the ledger, as a publication's input. */
import { readFactSum } from "../ledger/read/changes.ts";
import type { FactKind } from "../ledger/schema.ts";
import { installationRowId, readWatermarks } from "../ledger/watermarks.ts";
import type { Snapshot } from "./snapshot.ts";

/** Counts and sums: facts that were replaced are others, though there are as many. */
export function factsInput({ ledger }: Snapshot, installationId: string, kinds: readonly FactKind[]): string {
  const no = ledger && installationRowId(ledger, installationId);
  if (ledger === undefined || no === undefined) return "none";
  const watermarks = readWatermarks(ledger, no);
  return kinds.map((kind) => `${watermarks[kind]} ${readFactSum(ledger, no, kind, watermarks[kind]).sum}`).join(",");
}
