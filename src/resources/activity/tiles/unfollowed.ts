import { lacksReceipts } from "../../../projections/advance.ts";
import type { Snapshot } from "../../snapshot.ts";

/** True while the milestones have not followed every receipt: they follow in steps, cycle by cycle. */
export function hasUnfollowedReceipts({ ledger, installationId, projections }: Snapshot): boolean {
  return ledger !== undefined && lacksReceipts(projections, { ledger, installationId });
}
